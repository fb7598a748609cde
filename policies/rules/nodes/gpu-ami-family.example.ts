import * as eks from "@pulumi/aws/eks";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    clusterName: "shop",
    nodeRoleArn: "arn:aws:iam::111122223333:role/workers",
    subnetIds: ["subnet-0a1b2c3d"],
    // The AMI has no NVIDIA driver: the node joins the cluster, but no pod gets its GPU.
    amiType: good ? "AL2023_x86_64_NVIDIA" : "AL2023_x86_64_STANDARD",
    releaseVersion: "1.35.8-20260930",
    instanceTypes: ["g5.xlarge"],
    diskSize: 100,
    scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 2 },
    updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
    labels: { "nvidia.com/gpu": "true" },
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  });
}
