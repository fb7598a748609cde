import type { AlertGroup, AlertRule, AlertSettings } from "./alert-rule";
import { boughtGpuNodes, gpuIdentity, lines, once, youngerThan } from "./promql";

/** The hardware, and the nodes around it. */
export function nodeHealthAlerts(settings: AlertSettings): AlertGroup {
  const rules = [hardwareNotReady, nodeNotReady(settings), xidFatal, xidReported, rowRemapFailure];
  return { name: "gpu-node-health", title: "Node health", rules };
}

/** `kube-state-metrics` gives each condition three series, with the status in small letters. */
export function conditionIs(condition: string, status: "true" | "false"): string {
  return once("node", `kube_node_status_condition{condition="${condition}", status="${status}"}`);
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
    "Open a session: `aws ssm start-session --target INSTANCE`, then `journalctl -u kubelet -u containerd --no-pager`.",
    "On EKS replace the node rather than repair it by hand.",
  ],
});

/**
 * XIDs that mean the GPU, or its node, must be replaced: those that the EKS node monitoring agent takes for fatal.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/monitors/nvidia/dcgm/dcgm_policies.go#L98
 */
export const fatalXids: readonly number[] = [
  46, 48, 54, 62, 63, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 142, 143, 151, 155, 156, 158,
];

/** The number is the value of the series. As a label it can be compared with a list. */
const xidFatal: AlertRule = {
  name: "GpuXidFatal",
  expr: lines(
    `label_replace(count_values by (${gpuIdentity}) ("xid", DCGM_FI_DEV_XID_ERRORS), "fatal", "true", "xid", "${fatalXids.join("|")}")`,
    'and on (fatal) label_replace(vector(1), "fatal", "true", "", "")',
  ),
  for: "1m",
  severity: "page",
  summary: "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} reported XID {{ $labels.xid }}",
  description:
    "The driver reported XID {{ $labels.xid }} for {{ $labels.modelName }} {{ $labels.UUID }} on {{ $labels.Hostname }}: the hardware is faulty, and jobs on it fail or compute wrong results. The exporter repeats the last XID until it restarts.",
  steps: [
    "Look the number up: https://docs.nvidia.com/deploy/xid-errors/.",
    "Cordon the node, let what can be saved end, and replace it: on EKS that is the reset that most of these numbers ask for.",
  ],
};

const xidReported: AlertRule = {
  name: "GpuXidReported",
  expr: once(gpuIdentity, "DCGM_FI_DEV_XID_ERRORS > 0 and changes(DCGM_FI_DEV_XID_ERRORS[15m]) > 0"),
  for: "1m",
  severity: "ticket",
  summary: "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} reported XID {{ $value }}",
  description:
    "The driver reported XID {{ $value }} for {{ $labels.modelName }} {{ $labels.UUID }} on {{ $labels.Hostname }} in the last quarter of an hour. 13, 31, 43, 45 and 68 are mostly faults of the program that ran.",
  steps: [
    "Look the number up: https://docs.nvidia.com/deploy/xid-errors/.",
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
