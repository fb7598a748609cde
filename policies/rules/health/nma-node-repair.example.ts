import * as eks from "@pulumi/aws/eks";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    clusterName: "shop",
    nodeRoleArn: "arn:aws:iam::111122223333:role/gpu-nodes",
    subnetIds: ["subnet-0a1b2c3d"],
    amiType: "AL2023_x86_64_NVIDIA",
    instanceTypes: ["g5.xlarge"],
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
    scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 2 },
    updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
    nodeRepairConfig: { enabled: true, maxParallelNodesRepairedCount: 1 },
  });

  new eks.Addon("monitoring", {
    clusterName: "shop",
    addonName: "eks-node-monitoring-agent",
    addonVersion: "v1.7.0-eksbuild.1",
    // The DCGM server does not start on the tainted nodes, and node repair replaces one node after the other.
    configurationValues: good
      ? JSON.stringify({ dcgmAgent: { tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }] } })
      : undefined,
  });
}
