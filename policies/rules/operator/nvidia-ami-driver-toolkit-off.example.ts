import * as eks from "@pulumi/aws/eks";
import { Release } from "@pulumi/kubernetes/helm/v3";
import { gpuNodes, gpuOperator } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
  });

  new Release("gpu-operator", {
    ...gpuOperator,
    // This toolkit overwrites the containerd configuration of the AMI and breaks the node.
    values: good
      ? { driver: { enabled: false }, toolkit: { enabled: false } }
      : { driver: { enabled: false }, toolkit: { enabled: true } },
  });
}
