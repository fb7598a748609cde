import { Release } from "@pulumi/kubernetes/helm/v3";
import { gpuOperator } from "../example-parts";

export function example(good: boolean) {
  new Release("gpu-operator", {
    ...gpuOperator,
    // A new node is still pulling images then: Helm aborts an installation that would succeed.
    timeout: good ? 900 : 300,
  });
}
