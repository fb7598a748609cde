import { Release } from "@pulumi/kubernetes/helm/v3";

export function example(good: boolean) {
  new Release("gpu-operator", {
    chart: "gpu-operator",
    repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" },
    namespace: "gpu-operator",
    version: "v26.3.1",
    // A new node is still pulling images then: Helm aborts an installation that would succeed.
    timeout: good ? 900 : 300,
    values: { driver: { enabled: false }, toolkit: { enabled: false } },
  });
}
