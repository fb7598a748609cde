import { fatalXids } from "../../workloads/fault/dcgm-faults";
import { alertRule } from "./alert-rule";
import type { AlertSettings } from "./alert-settings";
import {
  allGpuNodes,
  byHost,
  conditionIs,
  gpuIdentity,
  lines,
  maxBy,
  onReadyNodes,
  allSettledGpuNodes,
  targets,
  xidIdentity,
  youngerThan,
} from "./promql";

/** GPU hardware and the nodes that contain it. */
export function nodeHealthAlerts(settings: AlertSettings) {
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

const hardwareNotReady = alertRule({
  name: "AcceleratedHardwareNotReady",
  expr: `${conditionIs("AcceleratedHardwareReady", "false")} == 1`,
  for: "2m",
  severity: "page",
  summary: "The GPU of {{ $labels.node }} is faulty",
  description:
    "The node monitoring agent set AcceleratedHardwareReady to False on {{ $labels.node }}. The node stays Ready and accepts pods. If node repair is on, EKS replaces or reboots the node ten minutes after the condition.",
  steps: [
    "Read the reason: `kubectl get node NODE -o jsonpath='{.status.conditions[?(@.type==\"AcceleratedHardwareReady\")]}'`.",
    "For `DCGMError`, check that `dcgm-server` runs on the node: without it, the agent reports healthy GPUs as faulty. If it runs now, the condition is old: check the GPU with `nvidia-smi`, then delete the agent's pod on the node (`kubectl -n kube-system delete pod -l app.kubernetes.io/name=eks-node-monitoring-agent --field-selector spec.nodeName=NODE`).",
    "For an XID or a double-bit error, cordon and replace the node. First check that the group's maximum size and the quota allow another node.",
  ],
  lab: "node-health",
});

const nodeNotReady = ({ startupMinutes }: AlertSettings) =>
  alertRule({
    name: "GpuNodeNotReady",
    expr: lines(
      `${conditionIs("Ready", "true")} == 0`,
      `and on (node) ${allGpuNodes}`,
      `unless on (node) (${youngerThan(startupMinutes, "kube_node_created")})`,
    ),
    for: "5m",
    severity: "page",
    summary: "GPU node {{ $labels.node }} is not Ready",
    description:
      "The kubelet of {{ $labels.node }} has not reported Ready for five minutes. Its pods are evicted or stuck, and the node still costs money.",
    steps: [
      "Read the conditions: `kubectl describe node NODE`. `container runtime is down` points to containerd; `Kubelet stopped posting node status` points to the instance.",
      "Open a session: `aws ssm start-session --target INSTANCE`, then `sudo journalctl -u kubelet -u containerd --no-pager`.",
      "On EKS, replace the node instead of repairing it manually.",
    ],
  });

/**
 * Prometheus reaches pods on other nodes over the same network paths as the nodes each other; the kubelet reaches the
 * control plane over another one. A single failing target may be faulty itself, so at least two must fail.
 */
const nodeUnreachable = ({ startupMinutes }: AlertSettings) =>
  alertRule({
    name: "GpuNodeUnreachable",
    expr: lines(
      `count by (node) (${maxBy("namespace, pod, node", targets(0))}) > 1`,
      `unless on (node) (${targets(1)})`,
      `and on (node) ${allSettledGpuNodes(startupMinutes)}`,
      onReadyNodes,
    ),
    for: "5m",
    severity: "page",
    summary: "Prometheus cannot reach any pod on GPU node {{ $labels.node }}, which is Ready",
    description:
      "None of the {{ $value }} pods of {{ $labels.node }} that Prometheus scrapes has answered for five minutes, while the kubelet reports Ready: the network path between the nodes is blocked. Jobs on several nodes hang.",
    steps: [
      "Check the rules of the nodes' security groups that allow traffic between nodes. Open connections outlive a removed rule, so the change may be older than the alert.",
      "Check network policies: `kubectl get networkpolicies -A`.",
      "Connect from a pod on another node. A port that times out is blocked; a port that refuses the connection is not.",
    ],
    lab: "nccl-block",
  });

/**
 * XIDs after which the node monitoring agent reports the GPU as faulty, except 63: a memory row was remapped, which NVIDIA
 * calls informational. The agent includes 63 because spare rows run out; GpuRowRemapFailure covers that.
 * @see https://github.com/aws/eks-node-monitoring-agent/blob/v1.7.0/monitors/nvidia/dcgm/dcgm_policies.go#L63-L98
 */
const fatalCodes = fatalXids.filter((xid) => xid !== 63).join("|");

/** The exporter reports only the last XID, and the next one may follow immediately: one sample is enough. */
const xidFatal = alertRule({
  name: "GpuXidFatal",
  expr: maxBy(xidIdentity, byHost(`max_over_time(DCGM_FI_DEV_XID_ERRORS{err_code=~"${fatalCodes}"}[30m])`)),
  for: "0m",
  severity: "page",
  summary: "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} reported XID {{ $labels.err_code }}",
  description:
    "The driver reported XID {{ $labels.err_code }} ({{ $labels.err_msg }}) for {{ $labels.modelName }} {{ $labels.UUID }} on {{ $labels.Hostname }}. EKS treats the GPU as faulty, and the workload on it has most likely failed.",
  steps: [
    "Look up the number: https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html. Most XIDs require a reset of the GPU, a few its replacement.",
    "Cordon the node, save what you can, and replace it.",
    "After a reset without a new node, restart the exporter's pod: until then it repeats the number.",
  ],
});

/** An XID that the exporter did not report in the 15 minutes before. That is longer than a restart of the exporter. */
const xidReported = alertRule({
  name: "GpuXidReported",
  expr: lines(
    `${maxBy(xidIdentity, byHost(`max_over_time(DCGM_FI_DEV_XID_ERRORS{err_code!~"0|${fatalCodes}"}[15m])`))} > 0`,
    `unless on (Hostname, gpu, UUID, err_code) ${byHost("max_over_time(DCGM_FI_DEV_XID_ERRORS[15m] offset 15m)")}`,
  ),
  for: "0m",
  severity: "ticket",
  summary: "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} reported XID {{ $labels.err_code }}",
  description:
    "The driver reported XID {{ $labels.err_code }} ({{ $labels.err_msg }}) for {{ $labels.modelName }} {{ $labels.UUID }} on {{ $labels.Hostname }} in the last 15 minutes. XIDs 13, 31, 43, 45 and 68 are mostly errors of the program; 45 also follows other XIDs, and 63 means that a faulty memory row was remapped.",
  steps: [
    "Look up the number: https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html.",
    "Read all XIDs in the node's kernel log: `sudo journalctl -k | grep Xid`. The exporter reports only the last one.",
    "Find the pod in the exporter's labels exported_namespace and exported_pod, and read its error.",
    "The same XID with several programs on one node indicates a faulty node.",
  ],
});

const rowRemapFailure = alertRule({
  name: "GpuRowRemapFailure",
  expr: `${maxBy(gpuIdentity, byHost("DCGM_FI_DEV_ROW_REMAP_FAILURE"))} > 0`,
  for: "5m",
  severity: "page",
  summary: "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} has run out of spare memory rows",
  description:
    "{{ $labels.modelName }} {{ $labels.UUID }} on {{ $labels.Hostname }} could not remap a faulty row of its memory. Do not use the GPU any longer.",
  steps: ["Cordon, drain and replace the node."],
});
