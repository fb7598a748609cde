import { socketStateMetric, socketWatchJob } from "../../workloads/socket/socket-metrics";
import { alertRule } from "./alert-rule";
import type { AlertSettings } from "./alert-settings";
import { operatorIsInstalled } from "./operator";
import {
  allGpuNodes,
  allSettledGpuNodes,
  anyGpu,
  byHost,
  gpuNodeLabels,
  lines,
  maxBy,
  onReadyNodes,
  stillFiring,
  targets,
} from "./promql";

/** The metrics that the other alerts read. Without them these alerts cannot fire, which looks like a healthy cluster. */
export function monitoringAlerts(settings: AlertSettings) {
  const rules = [
    stateMetricsDown,
    stateMetricsLabelsNotHonored,
    nodeLabelsNotMonitored(settings),
    dcgmExporterDown(settings),
    socketWatchDown(settings),
  ];
  return { name: "gpu-monitoring", title: "Metrics of the alerts", rules };
}

/** Jobs with the name that the Prometheus Operator, other charts or a file of Prometheus give them. */
const stateMetricsJob = '=~".*kube-state-metrics.*"';
const exporterJob = '=~".*dcgm-exporter.*"';

/**
 * kube-state-metrics reported GPU nodes within the last hour, or does not answer. The GPU Operator also counts the GPU
 * nodes. Prometheus counts the targets of each job, also of a job without any.
 */
const stateMetricsDown = alertRule({
  name: "KubeStateMetricsDown",
  expr: lines(
    `(max(last_over_time(${gpuNodeLabels}[1h]) or last_over_time(kube_node_status_capacity{${anyGpu}}[1h])) or max(${stillFiring("KubeStateMetricsDown")}) or`,
    `  (max(up{job${stateMetricsJob}}) == 0 or max(prometheus_target_scrape_pool_targets{scrape_job${stateMetricsJob}}) == 0)`,
    "  unless on () max(gpu_operator_gpu_nodes_total) == 0)",
    "unless on () (kube_node_labels or kube_node_created)",
  ),
  for: "10m",
  severity: "page",
  summary: "kube-state-metrics reports no nodes",
  description: "Prometheus has no metrics from kube-state-metrics. Without them, hardly any alert can fire.",
  steps: [
    "Check whether it is running: `kubectl get pods -A -l app.kubernetes.io/name=kube-state-metrics -o wide`.",
    "Check whether Prometheus reaches it (Status > Targets). If nodes cannot reach each other, only a Prometheus on the same node does.",
  ],
});

const stateMetricsLabelsNotHonored = alertRule({
  name: "KubeStateMetricsLabelsNotHonored",
  expr: lines(
    'count(kube_daemonset_status_desired_number_scheduled{exported_namespace!=""}) > 0',
    `and on () count(${allGpuNodes}) > 0`,
  ),
  for: "30m",
  severity: "ticket",
  summary: "The metrics of kube-state-metrics have its own namespace and pod",
  description:
    "Prometheus sets the label namespace to the namespace of the scraped pod, and exported_namespace to the namespace of the object. Alerts on pods, Deployments, Jobs and DaemonSets cannot fire, or name the wrong object.",
  steps: [
    "Set `honor_labels: true` in the scrape job of kube-state-metrics; in a ServiceMonitor it is `honorLabels: true`.",
  ],
});

/** The operator sets the label. Nodes with a device plugin of their image have none, and need none. */
const nodeLabelsNotMonitored = ({ operatorNamespace }: AlertSettings) =>
  alertRule({
    name: "GpuNodeLabelsNotMonitored",
    expr: lines(
      `${maxBy("node", `kube_node_status_allocatable{${anyGpu}}`)} > 0`,
      `unless on (node) ${gpuNodeLabels}`,
      operatorIsInstalled(operatorNamespace),
    ),
    for: "30m",
    severity: "ticket",
    summary: "Alerts do not recognize {{ $labels.node }} as a GPU node",
    description:
      "{{ $labels.node }} advertises GPUs, the GPU Operator is installed, and the metrics do not contain the node's label nvidia.com/gpu.present. Alerts that join on the label cannot fire.",
    steps: [
      "Check whether the label is exported: `kube-state-metrics` needs `--metric-labels-allowlist=nodes=[nvidia.com/gpu.present]`.",
      "Check whether the node has it: `kubectl get nodes -L nvidia.com/gpu.present`. The GPU Operator sets it.",
    ],
  });

/** The exporter reports the temperature of every GPU, but no utilization of a GPU with MIG devices. */
const gpuMetric = "DCGM_FI_DEV_GPU_TEMP";

/** By the host name: the node's name, or the name of a pod that was not told its node. */
const metricsOf = (named: "node" | "pod") =>
  `label_replace(${maxBy("Hostname", byHost(gpuMetric))}, "${named}", "$1", "Hostname", "(.+)")`;

const exporterPods = (number: string) =>
  maxBy("namespace, daemonset", `kube_daemonset_status_${number}{daemonset${exporterJob}}`);

/** Signs of an exporter that Prometheus should read. One without a ready pod has no metrics, even where it is not read. */
const exporterExists = lines(
  `and on () count(last_over_time(${gpuMetric}[1h]) or last_over_time(up{job${exporterJob}}[1h])`,
  `  or ${stillFiring("DcgmExporterDown")} or prometheus_target_scrape_pool_targets{scrape_job${exporterJob}}`,
  `  or (${exporterPods("desired_number_scheduled")} > 0 and ${exporterPods("number_ready")} == 0)) > 0`,
);

/**
 * Starts from nodes, because an exporter without a pod is not a target. It does not fire where Prometheus is not
 * configured to read an exporter.
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/assets/state-dcgm-exporter/0500_service_monitor.yaml
 */
const dcgmExporterDown = ({ startupMinutes }: AlertSettings) =>
  alertRule({
    name: "DcgmExporterDown",
    expr: lines(
      allSettledGpuNodes(startupMinutes),
      onReadyNodes,
      `unless on (node) ${metricsOf("node")}`,
      `unless on (node) (kube_pod_info and on (pod) ${metricsOf("pod")})`,
      exporterExists,
    ),
    for: "10m",
    severity: "ticket",
    summary: "The DCGM exporter reports no metrics of GPU node {{ $labels.node }}",
    description:
      "{{ $labels.node }} is Ready, and Prometheus has no metrics of its GPUs. The alerts on XIDs, memory rows and idle GPUs cannot fire for this node.",
    steps: [
      "Check whether the exporter runs on the node: `kubectl get pods -n gpu-operator -l app=nvidia-dcgm-exporter -o wide`. It crashes without its DCGM engine, `dcgm-server` or `nvidia-dcgm`.",
      "If it runs, check whether Prometheus reaches the node; see GpuNodeUnreachable.",
    ],
    lab: "nccl-block",
  });

/** Signs of a SocketWatch that Prometheus should read. */
const socketWatchExists = lines(
  `and on () count(last_over_time(${socketStateMetric}[1h]) or last_over_time(up{job="${socketWatchJob}"}[1h])`,
  `  or ${stillFiring("SocketWatchDown")} or prometheus_target_scrape_pool_targets{scrape_job=~".*${socketWatchJob}.*"}) > 0`,
);

/** Without any pod there is no target, so the alert also starts from the nodes: GPU nodes, which end with a session. */
const socketWatchDown = ({ startupMinutes }: AlertSettings) =>
  alertRule({
    name: "SocketWatchDown",
    expr: lines(
      `(${maxBy("node", targets(0, `{job="${socketWatchJob}"}`))} or ${maxBy("node", `${socketStateMetric}{state="unreadable"} == 1`)} or`,
      `  (${allSettledGpuNodes(startupMinutes)} unless on () (${socketStateMetric} or up{job="${socketWatchJob}"})`,
      `  ${socketWatchExists}))`,
      onReadyNodes,
    ),
    for: "10m",
    severity: "ticket",
    summary: "The SocketWatch of {{ $labels.node }} does not report",
    description:
      "The SocketWatch of {{ $labels.node }} does not answer, cannot read the socket's directory, or no longer exists on any node. RuntimeSocketIsDirectory cannot fire for this node.",
    steps: [
      "Find its pod on the node: `kubectl get pods -A -l app.kubernetes.io/name=socket-watch -o wide`. If there is no pod, its DaemonSet is gone or its pods are rejected.",
      "If it runs, read the state that it reports. `unreadable` means that the mode of the directory or SELinux denies access.",
    ],
  });
