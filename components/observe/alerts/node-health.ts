import { fatalXids } from "../../workloads/fault/dcgm-faults";
import type { AlertGroup, AlertRule } from "./alert-rule";
import type { AlertSettings } from "./alert-settings";
import {
  boughtGpuNodes,
  conditionIs,
  gpuIdentity,
  lines,
  once,
  onReadyNodes,
  settledBoughtNodes,
  targets,
  xidIdentity,
  youngerThan,
} from "./promql";

/** The hardware, and the nodes around it. */
export function nodeHealthAlerts(settings: AlertSettings): AlertGroup {
  const rules = [
    hardwareNotReady,
    nodeNotReady(settings),
    nodeUnreachable(settings),
    xidFatal,
    xidReported,
    rowRemapFailure,
  ];
  return { name: "gpu-node-health", title: "Node health", rules };
}

const hardwareNotReady: AlertRule = {
  name: "AcceleratedHardwareNotReady",
  expr: `${conditionIs("AcceleratedHardwareReady", "false")} == 1`,
  for: "2m",
  severity: "page",
  summary: "The GPU of {{ $labels.node }} is faulty",
  description:
    "The node monitoring agent has set AcceleratedHardwareReady to False on {{ $labels.node }}. The node stays Ready and takes pods. Where node repair is on, EKS replaces or reboots it ten minutes after the condition.",
  steps: [
    "Read the reason: `kubectl get node NODE -o jsonpath='{.status.conditions[?(@.type==\"AcceleratedHardwareReady\")]}'`. Name the condition: the last one in the list is another.",
    "For `DCGMError` check first that `dcgm-server` runs on the node: without its engine the agent calls healthy GPUs faulty.",
    "For an XID or a double-bit error cordon the node and replace it. Check beforehand that maximum size and quota leave room.",
  ],
  lab: "node-health",
};

const nodeNotReady = ({ startupMinutes }: AlertSettings): AlertRule => ({
  name: "GpuNodeNotReady",
  expr: lines(
    `${conditionIs("Ready", "true")} == 0`,
    `and on (node) ${boughtGpuNodes}`,
    `unless on (node) (${youngerThan(startupMinutes, "kube_node_created")})`,
  ),
  for: "5m",
  severity: "page",
  summary: "GPU node {{ $labels.node }} is not Ready",
  description:
    "The kubelet of {{ $labels.node }} has not reported Ready for five minutes. Its pods are evicted or stuck, and the node is paid for.",
  steps: [
    "Look at the conditions: `kubectl describe node NODE`. `container runtime is down` points to containerd, `Kubelet stopped posting node status` to the machine.",
    "Open a session: `aws ssm start-session --target INSTANCE`, then `sudo journalctl -u kubelet -u containerd --no-pager`.",
    "On EKS replace the node rather than repair it by hand.",
  ],
});

/**
 * Prometheus reaches what runs on other nodes by the very paths that these use among each other; the kubelet reports to
 * the control plane by another. One silent target may be the target's own fault, so there must be two.
 */
const nodeUnreachable = ({ startupMinutes }: AlertSettings): AlertRule => ({
  name: "GpuNodeUnreachable",
  expr: lines(
    `count by (node) (${once("namespace, pod, node", targets(0))}) > 1`,
    `unless on (node) (${targets(1)})`,
    `and on (node) ${settledBoughtNodes(startupMinutes)}`,
    onReadyNodes,
  ),
  for: "5m",
  severity: "page",
  summary: "Prometheus reaches nothing on GPU node {{ $labels.node }}, which is Ready",
  description:
    "None of the {{ $value }} pods of {{ $labels.node }} that Prometheus reads has answered for five minutes, while the kubelet reports Ready: the path between nodes is closed. Jobs over several nodes hang, and what the pods there would tell is missing.",
  steps: [
    "Look at the security groups of the nodes, at what lets nodes reach each other. Connections outlive the rules that let them in, Prometheus' own among them: the change may be older than the alert.",
    "Look at network policies: `kubectl get networkpolicies -A`.",
    "Ask a pod on another node: a port that times out is blocked, one that refuses is not.",
  ],
  lab: "nccl-block",
});

/**
 * XIDs after which the node monitoring agent calls the GPU faulty, without 63: a row of memory was replaced, which
 * NVIDIA calls informational. The agent counts it because rows run out; for that there is GpuRowRemapFailure.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/monitors/nvidia/dcgm/dcgm_policies.go#L63-L98
 */
const fatalCodes = fatalXids.filter((xid) => xid !== 63).join("|");

/** The exporter tells the last XID alone, and another may follow at once: one sight is enough. */
const xidFatal: AlertRule = {
  name: "GpuXidFatal",
  expr: once(xidIdentity, `max_over_time(DCGM_FI_DEV_XID_ERRORS{err_code=~"${fatalCodes}"}[30m])`),
  for: "0m",
  severity: "page",
  summary: "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} reported XID {{ $labels.err_code }}",
  description:
    "The driver reported XID {{ $labels.err_code }} ({{ $labels.err_msg }}) for {{ $labels.modelName }} {{ $labels.UUID }} on {{ $labels.Hostname }}, one of those after which EKS calls a GPU faulty. What ran there has most likely failed. The alert stays while the exporter repeats the number, and half an hour longer.",
  steps: [
    "Look the number up: https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html. Most ask for a reset of the GPU, few for another one.",
    "Cordon the node, let what can be saved end, and replace it: on EKS that is the reset.",
    "After a reset in place restart the exporter's pod: until then it repeats the number.",
  ],
};

/** An XID that is there, and was not in the quarter of an hour before; the exporter's restarts fit into that. */
const xidReported: AlertRule = {
  name: "GpuXidReported",
  expr: lines(
    `${once(xidIdentity, `max_over_time(DCGM_FI_DEV_XID_ERRORS{err_code!~"0|${fatalCodes}"}[15m])`)} > 0`,
    "unless on (Hostname, gpu, UUID, err_code) max_over_time(DCGM_FI_DEV_XID_ERRORS[15m] offset 15m)",
  ),
  for: "0m",
  severity: "ticket",
  summary: "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} reported XID {{ $labels.err_code }}",
  description:
    "The driver reported XID {{ $labels.err_code }} ({{ $labels.err_msg }}) for {{ $labels.modelName }} {{ $labels.UUID }} on {{ $labels.Hostname }} in the last quarter of an hour. 13, 31, 43, 45 and 68 are mostly faults of the program that ran; 45 also follows other XIDs, and 63 means that a faulty row of memory was replaced.",
  steps: [
    "Look the number up: https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html.",
    "Read them all in the node's kernel log: `sudo journalctl -k | grep Xid`. The exporter tells the last one alone, twice a minute; the same number once more is no news to it.",
    "Find the pod that ran there, in the exporter's labels exported_namespace and exported_pod, and its error.",
    "The same XID on one node with several programs is a fault of the node.",
  ],
};

const rowRemapFailure: AlertRule = {
  name: "GpuRowRemapFailure",
  expr: `${once(gpuIdentity, "DCGM_FI_DEV_ROW_REMAP_FAILURE")} > 0`,
  for: "5m",
  severity: "page",
  summary: "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} has run out of spare memory rows",
  description:
    "{{ $labels.modelName }} {{ $labels.UUID }} on {{ $labels.Hostname }} could not replace a faulty row of its memory. It must not be used any longer.",
  steps: ["Cordon the node, drain it, and replace it."],
};
