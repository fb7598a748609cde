import { Release } from "@pulumi/kubernetes/helm/v3";

export function example(good: boolean) {
  new Release("gpu-operator", {
    chart: "gpu-operator",
    repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" },
    namespace: "gpu-operator",
    version: "v26.3.1",
    timeout: 900,
    values: {
      driver: { enabled: false },
      toolkit: { enabled: false },
      // The ClusterPolicy stays ready, but nodes advertise 0 GPUs and pods with a GPU limit stay Pending.
      devicePlugin: good ? { enabled: true } : { enabled: false },
    },
  });
}
