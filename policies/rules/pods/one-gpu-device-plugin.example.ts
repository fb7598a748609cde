import { Release } from "@pulumi/kubernetes/helm/v3";
import { gpuOperator } from "../example-parts";

export function example(good: boolean) {
  new Release("gpu-operator", {
    ...gpuOperator,
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
