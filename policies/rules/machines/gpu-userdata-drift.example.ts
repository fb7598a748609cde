import * as ec2 from "@pulumi/aws/ec2";
import * as eks from "@pulumi/aws/eks";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  const mime = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n";
  // Installs the newest kernel, which may not match the driver of the AMI: the node then has no GPU.
  const script = good
    ? "Content-Type: text/x-shellscript\n\n#!/bin/bash\ndnf install -y htop\n"
    : "Content-Type: text/x-shellscript\n\n#!/bin/bash\ndnf upgrade -y --releasever=latest\n";

  const template = new ec2.LaunchTemplate("gpu", {
    metadataOptions: { httpTokens: "required" },
    blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100, encrypted: "true" } }],
    userData: Buffer.from(`${mime}${script}--b--\n`).toString("base64"),
  });

  new eks.NodeGroup("gpu", {
    ...gpuNodes,
    launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
  });
}
