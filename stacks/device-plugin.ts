import { GpuProbe } from "../components";
import type { Lab } from "./run/lab";

/** The operator takes its device plugin away, and calls that ready. */
export const devicePlugin: Lab = {
  question: "Why does a GPU pod wait while every node is Ready and the GPU Operator says ready?",
  hypothesis:
    "the DaemonSet of the device plugin is gone within 10 seconds, nodes offer 0 GPUs under a key that stays, and the ClusterPolicy stays ready",
  watch: [
    "kubectl get daemonset -n gpu-operator",
    "kubectl get nodes -o custom-columns='NAME:.metadata.name,GPUS:.status.allocatable.nvidia\\.com/gpu'",
    "kubectl get clusterpolicy cluster-policy -o jsonpath='{.spec.devicePlugin.enabled} {.status.state}'",
    "kubectl get pods -n device-plugin",
  ],
  restore: "pulumi config set fault off && pulumi up",
  minutes: 40,
  gpuNodes: 2,
  roomForGpuNodes: 1,
  environment: { gpuOperator: { enabled: true }, monitoring: { enabled: true } },
  mayBorrow: true,
  fault: {
    name: "the device plugin off",
    environment: { gpuOperator: { devicePlugin: false } },
    changes: ["update Release device-plugin-gpu-operator: values.devicePlugin.enabled"],
  },
  add({ namespace, taints, options, cluster }) {
    // Removing the plugin takes some seconds. A single pod that is made meanwhile may still be given a GPU, or be refused
    // by its kubelet and stay so; one that comes every minute tells of what came after.
    const schedule = "* * * * *";
    const probe = new GpuProbe("gpu-probe", { schedule, namespace, taints, ...(cluster && { cluster }) }, options);
    return { probe: probe.commands };
  },
};
