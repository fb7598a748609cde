import * as eks from "@pulumi/aws/eks";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
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
