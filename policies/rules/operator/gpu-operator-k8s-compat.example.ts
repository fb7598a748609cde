import * as eks from "@pulumi/aws/eks";
import { Release } from "@pulumi/kubernetes/helm/v3";
import { gpuNodes, gpuOperator } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
    version: "1.36",
  });

  new Release("gpu-operator", {
    ...gpuOperator,
    // NVIDIA supports this chart on Kubernetes 1.32 to 1.35, not on 1.36.
    version: good ? "v26.3.3" : "v26.3.1",
    values: { driver: { enabled: false }, toolkit: { enabled: false } },
  });
}
