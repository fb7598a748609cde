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
      // The operator has its own device plugin: both advertise the same GPU, and two pods can get it.
      devicePlugin: good
        ? // Disables the operator's plugin in favor of the chart below. Without that chart, leave it on.
          { enabled: false }
        : undefined,
    },
  });

  new Release("device-plugin", {
    chart: "nvidia-device-plugin",
    repositoryOpts: { repo: "https://nvidia.github.io/k8s-device-plugin" },
    namespace: "kube-system",
    version: "0.19.0",
  });
}
