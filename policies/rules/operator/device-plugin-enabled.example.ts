import { Release } from "@pulumi/kubernetes/helm/v3";
import { gpuOperator } from "../example-parts";

export function example(good: boolean) {
  new Release("gpu-operator", {
    ...gpuOperator,
    values: {
      driver: { enabled: false },
      toolkit: { enabled: false },
      // The ClusterPolicy stays ready, but nodes advertise 0 GPUs and pods with a GPU limit stay Pending.
      devicePlugin: good ? { enabled: true } : { enabled: false },
    },
  });
}
