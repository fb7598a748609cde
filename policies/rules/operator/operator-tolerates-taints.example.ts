import * as eks from "@pulumi/aws/eks";
import { Release } from "@pulumi/kubernetes/helm/v3";
import { gpuNodes, gpuOperator } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
    taints: [
      { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" },
      { key: "team", value: "vision", effect: "NO_SCHEDULE" },
    ],
  });

  const ofTeam = { key: "team", operator: "Exists", effect: "NoSchedule" };
  // Replaces the default toleration of nvidia.com/gpu: no pod of the operator starts on the GPU nodes.
  const tolerations = good ? [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }, ofTeam] : [ofTeam];
  new Release("gpu-operator", {
    ...gpuOperator,
    values: {
      driver: { enabled: false },
      toolkit: { enabled: false },
      daemonsets: { tolerations },
      "node-feature-discovery": good ? { worker: { tolerations } } : undefined,
    },
  });
}
