import * as eks from "@pulumi/aws/eks";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    clusterName: "shop",
    nodeRoleArn: "arn:aws:iam::111122223333:role/gpu-nodes",
    subnetIds: ["subnet-0a1b2c3d"],
    amiType: "AL2023_x86_64_NVIDIA",
    instanceTypes: ["g5.xlarge"],
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
    // With the third node the group needs 12 vCPUs, but the quota is 8: the group ends in CREATE_FAILED.
    scalingConfig: good ? { minSize: 0, desiredSize: 0, maxSize: 2 } : { minSize: 0, desiredSize: 0, maxSize: 3 },
    updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
  });
}
