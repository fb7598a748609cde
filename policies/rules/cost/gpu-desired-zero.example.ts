import * as eks from "@pulumi/aws/eks";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    clusterName: "shop",
    nodeRoleArn: "arn:aws:iam::111122223333:role/gpu-nodes",
    subnetIds: ["subnet-0a1b2c3d"],
    amiType: "AL2023_x86_64_NVIDIA",
    instanceTypes: ["g5.xlarge"],
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
    // Two GPU nodes start with the next update and cost money until you stop them.
    scalingConfig: good ? { minSize: 0, desiredSize: 0, maxSize: 2 } : { minSize: 0, desiredSize: 2, maxSize: 2 },
    updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
  });
}
