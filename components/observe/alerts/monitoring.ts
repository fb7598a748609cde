import { socketStateMetric, socketWatchJob } from "../../workloads/socket/socket-metrics";
import type { AlertGroup, AlertRule, AlertSettings } from "./alert-rule";
import { anyGpu, boughtGpuNodes, gpuNodeLabels, lines, once, onReadyNodes, settledGpuNodes, targets } from "./promql";

/** What the other alerts read: with it they fall silent, and silence looks like health. */
export function monitoringAlerts(settings: AlertSettings): AlertGroup {
  const rules = [
    stateMetricsDown,
    stateMetricsLabelsNotHonored,
    nodeLabelsNotMonitored,
    dcgmExporterDown(settings),
    socketWatchDown,
  ];
  return { name: "gpu-monitoring", title: "What the alerts read", rules };
}

/** It remembers for an hour: longer would call a monitoring that was taken away broken. */
const stateMetricsDown: AlertRule = {
  name: "KubeStateMetricsDown",
  expr: lines(`count(${once("node", `last_over_time(${gpuNodeLabels}[1h])`)}) > 0`, "unless on () kube_node_labels"),
  for: "10m",
  severity: "page",
  summary: "Nothing is known of {{ $value }} GPU nodes any longer: kube-state-metrics is silent",
  description:
    "{{ $value }} GPU nodes were reported within the last hour, and now no node is. Nearly all alerts read kube-state-metrics and cannot fire without it.",
  steps: [
    "Look whether it runs: `kubectl get pods -A -l app.kubernetes.io/name=kube-state-metrics -o wide`.",
    "Look whether Prometheus reaches it, on its page Status, Targets: where nodes cannot reach each other, it does from the same node alone.",
  ],
};

const stateMetricsLabelsNotHonored: AlertRule = {
  name: "KubeStateMetricsLabelsNotHonored",
  expr: lines(
    'count(kube_daemonset_status_desired_number_scheduled{exported_namespace!=""}) > 0',
    `and on () count(${boughtGpuNodes}) > 0`,
  ),
  for: "30m",
  severity: "ticket",
  summary: "The metrics of kube-state-metrics carry its own namespace and pod",
  description:
    "Prometheus keeps the namespace of the scraped pod and calls that of the object exported_namespace. Alerts on pods, Deployments, Jobs and DaemonSets cannot fire, or name the wrong object.",
  steps: [
    "Set `honor_labels: true` in the scrape job of kube-state-metrics; in a ServiceMonitor it is `honorLabels: true`.",
  ],
};

const nodeLabelsNotMonitored: AlertRule = {
  name: "GpuNodeLabelsNotMonitored",
  expr: lines(`${once("node", `kube_node_status_allocatable{${anyGpu}}`)} > 0`, `unless on (node) ${gpuNodeLabels}`),
  for: "30m",
  severity: "ticket",
  summary: "Alerts do not see {{ $labels.node }} as a GPU node",
  description:
    "{{ $labels.node }} offers GPUs, and its label nvidia.com/gpu.present is not in the metrics. Alerts that join on it cannot fire. Where nothing is monitored at all this one is silent too.",
  steps: [
    "Look whether the label is exported: `kube-state-metrics` needs `--metric-labels-allowlist=nodes=[nvidia.com/gpu.present]`.",
    "Look whether the node has it: `kubectl get nodes -L nvidia.com/gpu.present`. The GPU Operator sets it.",
  ],
};

/** The temperature is there for every GPU; of one that is cut into MIG devices the exporter tells no utilisation. */
const gpuMetric = "DCGM_FI_DEV_GPU_TEMP";
const exporterTargets = 'up{job="nvidia-dcgm-exporter"}';

/**
 * Asked of nodes rather than of targets: an exporter without a pod has no target. Where Prometheus has read no exporter
 * in the last hour, nor tried to, none is missed.
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/assets/state-dcgm-exporter/0500_service_monitor.yaml
 */
const dcgmExporterDown = ({ startupMinutes }: AlertSettings): AlertRule => ({
  name: "DcgmExporterDown",
  expr: lines(
    settledGpuNodes(startupMinutes),
    onReadyNodes,
    `unless on (node) label_replace(${gpuMetric}, "node", "$1", "Hostname", "(.+)")`,
    `and on () count(last_over_time(${gpuMetric}[1h]) or last_over_time(${exporterTargets}[1h])) > 0`,
  ),
  for: "10m",
  severity: "ticket",
  summary: "The DCGM exporter tells nothing of GPU node {{ $labels.node }}",
  description:
    "{{ $labels.node }} is Ready, and Prometheus has no metrics of its GPUs. The alerts on XIDs, on memory rows and on idle GPUs are silent for it.",
  steps: [
    "Look whether the exporter runs there: `kubectl get pods -n gpu-operator -l app=nvidia-dcgm-exporter -o wide`. Without the engine that it asks, `dcgm-server` or `nvidia-dcgm`, it crashes.",
    "If it runs, ask whether Prometheus reaches the node: GpuNodeUnreachable tells.",
  ],
  lab: "nccl-block",
});

const socketWatchDown: AlertRule = {
  name: "SocketWatchDown",
  expr: lines(
    `(${once("node", targets(0, `{job="${socketWatchJob}"}`))} or ${once("node", `${socketStateMetric}{state="unreadable"} == 1`)})`,
    onReadyNodes,
  ),
  for: "10m",
  severity: "ticket",
  summary: "The SocketWatch of {{ $labels.node }} sees nothing",
  description:
    "The SocketWatch of {{ $labels.node }} does not answer, or may not look into the socket's directory. RuntimeSocketIsDirectory is silent for the node.",
  steps: [
    "Look at its pod on the node: `kubectl get pods -A -l app.kubernetes.io/name=socket-watch -o wide`.",
    "If it runs, read what it tells: the state `unreadable` means a directory that is closed to others (containerd makes it 0711), or SELinux.",
  ],
};
