import * as eks from "@pulumi/aws/eks";
import { Release } from "@pulumi/kubernetes/helm/v3";
import { Provider } from "@pulumi/kubernetes";
import { ClusterAutoscaler } from "../../../components";
import { gpuNodes } from "../example-parts";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    ...gpuNodes,
    labels: { "k8s.amazonaws.com/accelerator": "nvidia-a10g" },
    // These tags never reach the Auto Scaling group: pods that select the label stay Pending.
    tags: good
      ? undefined
      : { "k8s.io/cluster-autoscaler/node-template/label/k8s.amazonaws.com/accelerator": "nvidia-a10g" },
  });

  if (good) {
    const options = { providers: { kubernetes: new Provider("cluster", { kubeconfig: "{}" }) } };
    new ClusterAutoscaler("autoscaler", { clusterName: "shop", kubernetesVersion: "1.35", install: true }, options);
  } else {
    new Release("autoscaler", {
      chart: "cluster-autoscaler",
      repositoryOpts: { repo: "https://kubernetes.github.io/autoscaler" },
      version: "9.59.0",
      namespace: "kube-system",
      values: { autoDiscovery: { clusterName: "shop" } },
    });
  }
}
