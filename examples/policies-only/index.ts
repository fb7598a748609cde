import * as ec2 from "@pulumi/aws/ec2";
import * as eks from "@pulumi/aws/eks";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const minSize = config.requireNumber("minSize");

const template = new ec2.LaunchTemplate("training", {
  instanceType: "g5.xlarge",
  metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
  blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 200, volumeType: "gp3", encrypted: "true" } }],
});

const nodes = new eks.NodeGroup(
  "training",
  {
    clusterName: "prod",
    nodeRoleArn: "arn:aws:iam::123456789012:role/prod-gpu-nodes",
    subnetIds: ["subnet-0123456789abcdef0"],
    amiType: "AL2023_x86_64_NVIDIA",
    releaseVersion: "1.35.8-20260930",
    labels: { "nvidia.com/gpu": "true" },
    scalingConfig: { minSize, desiredSize: minSize, maxSize: 4 },
    launchTemplate: { id: template.id, version: template.latestVersion.apply(String) },
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
    tags: { "cost-center": "ml-platform" },
  },
  { ignoreChanges: ["scalingConfig.desiredSize"] },
);

export const nodeGroup = nodes.nodeGroupName;
