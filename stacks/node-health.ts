import { FaultInjection, GpuProbe } from "../components";
import { operatorForWaitingPods, type Lab } from "./run/lab";

const doubleBitError = { condition: "AcceleratedHardwareReady", reason: "NvidiaDoubleBitError" } as const;

/** A GPU reports a hardware fault, and EKS replaces its node. */
export const nodeHealth: Lab = {
  question: "Why does EKS replace a node that is Ready, although a pod still uses its GPU?",
  hypothesis:
    "within a minute the node, still Ready, has the condition AcceleratedHardwareReady False with the reason NvidiaDoubleBitError; after ten minutes EKS cordons and replaces it",
  watch: [
    `kubectl get nodes -o custom-columns='NAME:.metadata.name,READY:.status.conditions[?(@.type=="Ready")].status,GPU:.status.conditions[?(@.type=="AcceleratedHardwareReady")].status,REASON:.status.conditions[?(@.type=="AcceleratedHardwareReady")].reason'`,
    "kubectl get daemonset dcgm-server -n kube-system",
    "kubectl get nodes -L node.kubernetes.io/instance-type",
  ],
  restore:
    "kubectl rollout restart daemonset/eks-node-monitoring-agent -n kube-system && pulumi config set fault off && pulumi up --refresh",
  local: {
    mock: [
      `update Release node-health-gpus: ${["after_calls", "enabled", "mode", "xid"].map((key) => `values.gpu.failureInjection.${key}`).join(", ")}`,
    ],
  },
  clusterName: "health",
  minutes: 60,
  gpuNodes: 1,
  leastMaxSize: 2,
  environment: {
    gpuOperator: operatorForWaitingPods,
    monitoring: { enabled: true },
    gpuHealth: { repair: { maxParallel: 1, overrides: [{ ...doubleBitError, waitMinutes: 10, action: "Replace" }] } },
  },
  keys: ["node"],
  fault: { name: "a double-bit error injected", changes: ["create Job dcgm-fault"], failsMockGpus: true },
  add({ isFaulty, expires, node, namespace, taints, options, cluster, localGpus }) {
    const shared = { taints, cluster };
    const probe = new GpuProbe("gpu-probe", { ...shared, namespace, mode: "stay" }, options);
    // Mock GPUs fail themselves: there is no DCGM engine of the node monitoring agent.
    if (!isFaulty || localGpus) return { probe: probe.commands };
    const place = { ...shared, expires: expires ?? "", nodeName: node };
    const injection = new FaultInjection("dcgm-fault", place, options);
    return { probe: probe.commands, injection: injection.commands };
  },
};
