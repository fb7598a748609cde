import { GpuProbe } from "../components";
import { operatorForWaitingPods, type Lab } from "./run/lab";

/** The operator removes its device plugin and still reports ready. */
export const devicePlugin: Lab = {
  question: "Why does a GPU pod stay Pending while every node and the GPU Operator report ready?",
  hypothesis:
    "the DaemonSet of the device plugin is gone within 10 seconds, nodes keep the resource nvidia.com/gpu with the value 0, and the ClusterPolicy stays ready",
  watch: [
    "kubectl get daemonset -n gpu-operator",
    "kubectl get nodes -o custom-columns='NAME:.metadata.name,GPUS:.status.allocatable.nvidia\\.com/gpu'",
    "kubectl get clusterpolicy cluster-policy -o jsonpath='{.spec.devicePlugin.enabled} {.status.state}'",
    "kubectl get pods -n device-plugin",
  ],
  restore: "pulumi config set fault off && pulumi up",
  local: {
    fake: [
      "delete DaemonSet device-plugin-gpus-device-plugin",
      "update ClusterPolicy device-plugin-gpus-policy: spec.devicePlugin.enabled",
      "update Node device-plugin-gpus-gpu-1: metadata.annotations.eks-gpu-lab/capacity",
      "update Node device-plugin-gpus-gpu-2: metadata.annotations.eks-gpu-lab/capacity",
    ],
    mock: ["update Release device-plugin-gpu-operator: values.devicePlugin.enabled"],
  },
  clusterName: "plugin",
  minutes: 40,
  gpuNodes: 2,
  leastMaxSize: 1,
  environment: { gpuOperator: operatorForWaitingPods, monitoring: { enabled: true } },
  supportsSharedCluster: true,
  fault: {
    name: "the device plugin off",
    environment: { gpuOperator: { devicePlugin: false } },
    changes: ["update Release device-plugin-gpu-operator: values.devicePlugin.enabled"],
  },
  add({ namespace, taints, options, cluster }) {
    // Removing the plugin takes some seconds: a single pod created meanwhile could still get a GPU, or be rejected by its
    // kubelet for good. A pod every minute shows what comes after.
    const schedule = "* * * * *";
    const probe = new GpuProbe("gpu-probe", { schedule, namespace, taints, cluster }, options);
    return { probe: probe.commands };
  },
};
