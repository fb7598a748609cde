import * as eks from "@pulumi/aws/eks";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    clusterName: "shop",
    nodeRoleArn: "arn:aws:iam::111122223333:role/gpu-nodes",
    subnetIds: ["subnet-0a1b2c3d"],
    amiType: "AL2023_x86_64_NVIDIA",
    instanceTypes: ["g5.xlarge"],
    labels: { "nvidia.com/gpu": "true" },
    // Without NO_SCHEDULE, pods without a GPU fill the node, and the training job stays Pending.
    taints: good
      ? [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }]
      : [{ key: "nvidia.com/gpu", value: "true", effect: "PREFER_NO_SCHEDULE" }],
    scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 2 },
    updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
  });
}
