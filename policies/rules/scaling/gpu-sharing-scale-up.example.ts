import { CustomResource } from "@pulumi/kubernetes/apiextensions";
import { Release } from "@pulumi/kubernetes/helm/v3";
import { gpuPool } from "../example-parts";

export function example(good: boolean) {
  new CustomResource("gpu", {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    spec: { ...gpuPool, limits: { "nvidia.com/gpu": "2" } },
  });
  // Karpenter starts a node for a pod that needs one of four replicas.
  const sharing = "sharing: { timeSlicing: { resources: [{ name: nvidia.com/gpu, replicas: 4 }] } }";
  new Release("plugin", {
    chart: "nvidia-device-plugin",
    values: good ? {} : { config: { map: { shared: sharing } } },
  });
}
