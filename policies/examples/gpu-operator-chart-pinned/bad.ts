import { Release } from "@pulumi/kubernetes/helm/v3";

new Release("gpu-operator", {
  chart: "gpu-operator",
  repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" },
  namespace: "gpu-operator",
  // A range: Helm installs whatever fits it that day.
  version: ">=26.3.0",
  timeout: 900,
  values: { driver: { enabled: false }, toolkit: { enabled: false } },
});
