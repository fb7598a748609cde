import { CustomResource } from "@pulumi/kubernetes/apiextensions";
import { gpuPool } from "../example-parts";

export function example(good: boolean) {
  new CustomResource("gpu", {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    spec: {
      ...gpuPool,
      limits: { "nvidia.com/gpu": "2" },
      // Karpenter evicts a training pod to save a node.
      disruption: { consolidateAfter: "10m", consolidationPolicy: good ? "WhenEmpty" : "WhenEmptyOrUnderutilized" },
    },
  });
}
