import { Release } from "@pulumi/kubernetes/helm/v3";
import { Provider } from "@pulumi/kubernetes";
import { GpuOperator } from "../../../components";
import { gpuOperator } from "../example-parts";

export function example(good: boolean) {
  if (good) {
    const providers = { kubernetes: new Provider("cluster", { kubeconfig: "{}" }) };
    new GpuOperator("gpu-operator", { chartVersion: "v26.3.1", kubernetesVersion: "1.35" }, { providers });
  } else {
    new Release("gpu-operator", {
      ...gpuOperator,
      // A range: Helm resolves it again at each installation.
      version: ">=26.3.0",
    });
  }
}
