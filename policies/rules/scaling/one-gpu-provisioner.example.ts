import * as eks from "@pulumi/aws/eks";
import { CustomResource } from "@pulumi/kubernetes/apiextensions";
import { gpuNodes, gpuPool } from "../example-parts";

export function example(good: boolean) {
  new CustomResource("gpu-pool", {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    spec: { ...gpuPool, limits: { "nvidia.com/gpu": "2" } },
  });
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
    labels: { "k8s.amazonaws.com/accelerator": "nvidia-a10g" },
    // For a pod that waits for a GPU, the pool starts one node and the group another one.
    tags: good ? {} : { "k8s.io/cluster-autoscaler/enabled": "true" },
  });
}
