import * as ec2 from "@pulumi/aws/ec2";
import * as eks from "@pulumi/aws/eks";

export function example(good: boolean) {
  const mime = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n";
  // Installs the newest kernel, which may not match the driver of the AMI: the node then has no GPU.
  const script = good
    ? "Content-Type: text/x-shellscript\n\n#!/bin/bash\ndnf install -y htop\n"
    : "Content-Type: text/x-shellscript\n\n#!/bin/bash\ndnf upgrade -y --releasever=latest\n";

  const template = new ec2.LaunchTemplate("gpu", {
    instanceType: "g5.xlarge",
    metadataOptions: { httpTokens: "required" },
    blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100, encrypted: "true" } }],
    userData: Buffer.from(`${mime}${script}--b--\n`).toString("base64"),
  });

  new eks.NodeGroup("gpu", {
    clusterName: "shop",
    nodeRoleArn: "arn:aws:iam::111122223333:role/workers",
    subnetIds: ["subnet-0a1b2c3d"],
    amiType: "AL2023_x86_64_NVIDIA",
    releaseVersion: "1.35.8-20260930",
    launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
    scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 2 },
    updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  });
}
