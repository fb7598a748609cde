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
      // The NRI plugin is part of the toolkit, which is off: it does not run.
      cdi: good ? { enabled: true, nriPluginEnabled: false } : { enabled: true, nriPluginEnabled: true },
    },
  });
}
