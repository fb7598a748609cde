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
    nodeRepairConfig: {
      enabled: true,
      maxParallelNodesRepairedCount: 1,
      nodeRepairConfigOverrides: [
        {
          nodeMonitoringCondition: "AcceleratedHardwareReady",
          nodeUnhealthyReason: "NvidiaXID79Error",
          repairAction: "Replace",
          // EKS accepts 10 to 120 minutes in steps of 10, and rejects this value during the update.
          minRepairWaitTimeMins: good ? 10 : 5,
        },
      ],
    },
  });
}
