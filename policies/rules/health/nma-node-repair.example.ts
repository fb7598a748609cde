import * as eks from "@pulumi/aws/eks";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
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
