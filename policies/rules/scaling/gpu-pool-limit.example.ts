import { CustomResource } from "@pulumi/kubernetes/apiextensions";
import { gpuPool } from "../example-parts";

export function example(good: boolean) {
  new CustomResource("gpu", {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    // Without a limit, a Job with many pods starts as many GPU nodes.
    spec: good ? { ...gpuPool, limits: { "nvidia.com/gpu": "2" } } : gpuPool,
  });
}
