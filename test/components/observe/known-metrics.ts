import { socketStateMetric } from "../../../components/workloads/socket/socket-metrics";

const object = { DaemonSet: ["namespace", "daemonset"], Deployment: ["namespace", "deployment"] };
const pod = ["namespace", "pod", "uid"];
const container = [...pod, "container"];
const resource = ["node", "resource", "unit"];
const condition = ["condition", "status"];
const gpu = ["gpu", "UUID", "pci_bus_id", "device", "modelName", "Hostname", "hostname", "DCGM_FI_DRIVER_VERSION"];

/** @see https://github.com/kubernetes/kube-state-metrics/tree/v2.20.0/docs/metrics 2026-08-20 */
const kubeStateMetrics: Readonly<Record<string, readonly string[]>> = {
  kube_node_created: ["node"],
  // Of the labels of a node those that are on the list of kube-state-metrics; see the test of Monitoring.
  kube_node_labels: ["node", "label_nvidia_com_gpu", "label_nvidia_com_gpu_present"],
  kube_node_status_allocatable: resource,
  kube_node_status_capacity: resource,
  kube_node_status_condition: ["node", ...condition],
  kube_daemonset_created: object.DaemonSet,
  // The last one is there where Prometheus does not honor the labels of kube-state-metrics.
  kube_daemonset_status_desired_number_scheduled: [...object.DaemonSet, "exported_namespace"],
  kube_daemonset_status_number_ready: object.DaemonSet,
  kube_deployment_status_replicas: object.Deployment,
  kube_deployment_status_replicas_available: object.Deployment,
  kube_deployment_status_replicas_updated: object.Deployment,
  kube_deployment_status_condition: [...object.Deployment, "reason", ...condition],
  kube_deployment_spec_strategy_rollingupdate_max_surge: object.Deployment,
  kube_deployment_spec_strategy_rollingupdate_max_unavailable: object.Deployment,
  kube_job_failed: ["namespace", "job_name", "condition"],
  kube_job_created: ["namespace", "job_name"],
  kube_job_owner: ["namespace", "job_name", "owner_kind", "owner_name", "owner_is_controller"],
  kube_cronjob_info: ["namespace", "cronjob", "schedule", "concurrency_policy", "timezone"],
  kube_cronjob_status_last_successful_time: ["namespace", "cronjob"],
  kube_replicaset_owner: ["namespace", "replicaset", "owner_kind", "owner_name", "owner_is_controller"],
  kube_pod_info: [...pod, "node", "host_ip", "pod_ip"],
  kube_pod_owner: [...pod, "owner_kind", "owner_name", "owner_is_controller"],
  kube_pod_status_phase: [...pod, "phase"],
  kube_pod_status_unschedulable: pod,
  kube_pod_container_resource_requests: [...container, ...resource],
  kube_pod_init_container_resource_requests: [...container, ...resource],
  kube_pod_init_container_info: [...container, "restart_policy"],
  kube_pod_container_status_waiting_reason: [...container, "reason"],
  kube_pod_init_container_status_waiting_reason: [...container, "reason"],
  kube_pod_container_status_ready: container,
  kube_pod_container_status_restarts_total: container,
  kube_pod_init_container_status_restarts_total: container,
};

/** What the operator has its exporter export. @see https://github.com/NVIDIA/dcgm-exporter/blob/4.5.1-4.8.0/etc/dcp-metrics-included.csv */
const dcgmFields =
  "GPU_UTIL FB_USED GPU_TEMP POWER_USAGE CORRECTABLE_REMAPPED_ROWS UNCORRECTABLE_REMAPPED_ROWS ROW_REMAP_FAILURE";

/** Every metric that an alert or the dashboard may name, with its labels. */
export const knownMetrics: Readonly<Record<string, readonly string[]>> = {
  ...kubeStateMetrics,
  ...Object.fromEntries(dcgmFields.split(" ").map((field) => [`DCGM_FI_DEV_${field}`, gpu])),
  // Its number is a label, too. @see https://github.com/NVIDIA/dcgm-exporter/blob/4.5.1-4.8.0/internal/pkg/collector/gpu_collector.go
  DCGM_FI_DEV_XID_ERRORS: [...gpu, "err_code", "err_msg"],
  // The namespace is the scraped pod's. @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/operator_metrics.go
  gpu_operator_reconciliation_status: ["namespace", "pod"],
  gpu_operator_gpu_nodes_total: ["namespace", "pod"],
  // Recorded from vLLM 0.17.1. @see https://github.com/vllm-project/vllm/blob/v0.11.0/vllm/v1/metrics/loggers.py
  ...Object.fromEntries(
    ["num_requests_running", "num_requests_waiting", "kv_cache_usage_perc"].map((metric) => [
      `vllm:${metric}`,
      ["namespace", "pod", "engine", "model_name"],
    ]),
  ),
  [socketStateMetric]: ["node", "path", "state"],
  // Prometheus' own. @see https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/#inspecting-alerts-during-runtime
  prometheus_target_scrape_pool_targets: ["scrape_job"],
  up: ["job", "namespace", "pod", "instance"],
  ALERTS: ["alertname", "alertstate", "severity"],
};

/** Labels that expressions make themselves, with label_replace. */
const madeLabels = ["replicaset", "deployment"];

const words = /^(and|or|unless|on|by|group_left|offset|bool|time|vector)$/;

/** The metrics that an expression names, each with the labels that it selects by; and the labels that it joins on. */
export function namesIn(expression: string): { metrics: [name: string, labels: string[]][]; joined: string[] } {
  const joined: string[] = [];
  const bare = expression
    .replace(/\b(?:by|on|group_left)\s*\(([^)]*)\)/g, (_, labels: string) => {
      joined.push(...labels.split(",").map((label) => label.trim()));
      return " ";
    })
    .replace(/"[^"]*"/g, '""')
    .replace(/\[[^\]]*\]|offset \w+/g, " ");
  const selectors = bare.matchAll(/\b([A-Za-z_][\w:]*)\b(?!\s*\()(?:\{([^}]*)\})?/g);
  const metrics = [...selectors]
    .map(([, name = "", matchers = ""]): [string, string[]] => [
      name,
      [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => String(label)),
    ])
    .filter(([name]) => !words.test(name));
  return { metrics, joined: joined.filter((label) => label !== "") };
}

/** What an expression names that there is not. */
export function unknownNames(expression: string): string[] {
  const { metrics, joined } = namesIn(expression);
  const known = new Set([...madeLabels, ...metrics.flatMap(([name]) => knownMetrics[name] ?? [])]);
  return [
    ...metrics.flatMap(([name, labels]) => {
      const has = knownMetrics[name];
      return has === undefined
        ? [name]
        : labels.filter((label) => !has.includes(label)).map((label) => `${name}.${label}`);
    }),
    ...joined.filter((label) => !known.has(label)).map((label) => `label ${label}`),
  ];
}
