import { Release } from "@pulumi/kubernetes/helm/v3";

new Release("gpu-operator", {
  chart: "gpu-operator",
  repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" },
  namespace: "gpu-operator",
  version: "v26.3.1",
  timeout: 900,
  values: { driver: { enabled: false }, toolkit: { enabled: false } },
});

// The operator brings its own: both offer the same GPU, and two pods can get it.
new Release("device-plugin", {
  chart: "nvidia-device-plugin",
  repositoryOpts: { repo: "https://nvidia.github.io/k8s-device-plugin" },
  namespace: "kube-system",
  version: "0.19.0",
});
