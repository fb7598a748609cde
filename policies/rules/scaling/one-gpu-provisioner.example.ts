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
    // A pod that waits for a GPU starts a node of the pool and one of the group.
    tags: good ? {} : { "k8s.io/cluster-autoscaler/enabled": "true" },
  });
}
