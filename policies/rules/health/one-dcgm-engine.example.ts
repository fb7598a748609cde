import * as eks from "@pulumi/aws/eks";
import { Release } from "@pulumi/kubernetes/helm/v3";
import { gpuOperator } from "../example-parts";

export function example(good: boolean) {
  new eks.Addon("monitoring", {
    clusterName: "shop",
    addonName: "eks-node-monitoring-agent",
    addonVersion: "v1.7.0-eksbuild.1",
    configurationValues: JSON.stringify({
      dcgmAgent: { tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }] },
    }),
  });

  new Release("gpu-operator", {
    ...gpuOperator,
    values: {
      driver: { enabled: false },
      toolkit: { enabled: false },
      // A second engine in addition to the agent's: they conflict on port 5555, and healthy nodes are replaced.
      dcgm: good ? { enabled: false } : { enabled: true },
      dcgmExporter: good
        ? { hostNetwork: true, env: [{ name: "DCGM_REMOTE_HOSTENGINE_INFO", value: "localhost:5555" }] }
        : undefined,
    },
  });
}
