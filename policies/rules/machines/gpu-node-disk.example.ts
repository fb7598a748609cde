import * as eks from "@pulumi/aws/eks";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    clusterName: "shop",
    nodeRoleArn: "arn:aws:iam::111122223333:role/workers",
    subnetIds: ["subnet-0a1b2c3d"],
    amiType: "AL2023_x86_64_NVIDIA",
    releaseVersion: "1.35.8-20260930",
    instanceTypes: ["g5.xlarge"],
    // The second CUDA image fills the disk, and the node evicts its pods.
    diskSize: good ? 100 : 30,
    scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 2 },
    updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
    labels: { "nvidia.com/gpu": "true" },
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  });
}
