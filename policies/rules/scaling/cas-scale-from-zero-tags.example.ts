import * as eks from "@pulumi/aws/eks";
import { Release } from "@pulumi/kubernetes/helm/v3";
import { Provider } from "@pulumi/kubernetes";
import { ClusterAutoscaler } from "../../../components";

export function example(good: boolean) {
  new eks.NodeGroup("gpu", {
    clusterName: "shop",
    nodeRoleArn: "arn:aws:iam::111122223333:role/gpu-nodes",
    subnetIds: ["subnet-0a1b2c3d"],
    amiType: "AL2023_x86_64_NVIDIA",
    instanceTypes: ["g5.xlarge"],
    labels: { "k8s.amazonaws.com/accelerator": "nvidia-a10g" },
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
    scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 2 },
    updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
    // These tags never reach the Auto Scaling group: pods that select the label stay Pending.
    tags: good
      ? undefined
      : { "k8s.io/cluster-autoscaler/node-template/label/k8s.amazonaws.com/accelerator": "nvidia-a10g" },
  });

  if (good) {
    const kubernetes = new Provider("cluster", { kubeconfig: "{}" });
    new ClusterAutoscaler(
      "autoscaler",
      { clusterName: "shop", kubernetesVersion: "1.35", install: true },
      { providers: { kubernetes } },
    );
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
