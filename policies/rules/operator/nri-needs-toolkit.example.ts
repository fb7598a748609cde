import { Release } from "@pulumi/kubernetes/helm/v3";
import { gpuOperator } from "../example-parts";

export function example(good: boolean) {
  new Release("gpu-operator", {
    ...gpuOperator,
    values: {
      driver: { enabled: false },
      toolkit: { enabled: false },
      // The NRI plugin is part of the toolkit, which is off: it does not run.
      cdi: good ? { enabled: true, nriPluginEnabled: false } : { enabled: true, nriPluginEnabled: true },
    },
  });
}
