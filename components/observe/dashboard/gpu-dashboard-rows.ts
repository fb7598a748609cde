import { socketStateMetric } from "../../workloads/socket/socket-metrics";
import {
  allGpuNodes,
  allocatableGpus,
  lines,
  maxBy,
  podRequests,
  podsWithGpu,
  byHost,
  gpuIdentity,
  xidIdentity,
} from "../alerts/promql";
import type { Panel, Row } from "./panel";

/** The rows of the dashboard. `namespace` is the GPU Operator's. */
export function gpuDashboardRows(namespace: string): Row[] {
  return [
    { title: "Overview", panels: overview },
    { title: "Nodes", panels: [gpusOfNodes, conditions, nodeAge, daemonSets(namespace)] },
    { title: "GPUs", panels: gpuPanels },
    { title: "Pods", panels: [pendingPods, restarts(namespace), operatorState(namespace), sockets] },
    { title: "Model servers", panels: serverPanels },
  ];
}

/** Requests of pods that run or wait. The metrics also contain those of pods that ended and were not deleted. */
const requests = (where = "") =>
  lines(
    podRequests(`resource="nvidia_com_gpu"${where}`),
    'and on (namespace, pod) kube_pod_status_phase{phase=~"Pending|Running"} == 1',
  );
const waiting = `${maxBy("namespace, pod", "kube_pod_status_unschedulable")} and on (namespace, pod) ${podsWithGpu}`;

function number(title: string, description: string, expr: string, thresholds: Panel["thresholds"]): Panel {
  const queries = [{ expr: `(${expr}) or vector(0)`, legend: title }];
  return { type: "stat", title, description, queries, unit: "none", thresholds: thresholds ?? [], width: 4, height: 4 };
}

const neutral = [{ color: "blue" }] as const;
const redFromOne = [{ color: "green" }, { from: 1, color: "red" }] as const;

const overview: readonly Panel[] = [
  number("GPU nodes", "Each node costs money while it exists.", `count(${maxBy("node", allGpuNodes)})`, neutral),
  number(
    "GPUs advertised",
    "GPUs that the nodes advertise as nvidia.com/gpu.",
    `sum(${maxBy("node", 'kube_node_status_allocatable{resource="nvidia_com_gpu"}')})`,
    neutral,
  ),
  number("GPUs requested", "Requests for nvidia.com/gpu by running and pending pods.", `sum(${requests()})`, neutral),
  number("Pods waiting for a GPU", "The scheduler has found no node for them.", `count(${waiting})`, [
    { color: "green" },
    { from: 1, color: "yellow" },
  ]),
  number(
    "Nodes without GPUs",
    "GPU nodes that advertise 0 GPUs under any resource name: the device plugin is missing, or the GPU is faulty.",
    `count(${maxBy("node", allocatableGpus)} == 0 and on (node) ${allGpuNodes})`,
    redFromOne,
  ),
  number(
    "Alerts",
    "Firing GPU alerts, recognized by their severity: page or ticket.",
    'count(ALERTS{alertstate="firing", severity=~"page|ticket"})',
    redFromOne,
  ),
];

const gpusOfNodes: Panel = {
  type: "timeseries",
  title: "GPUs advertised and requested",
  description: "A node whose device plugin stopped keeps its line, at 0.",
  queries: [
    {
      expr: maxBy("node", 'kube_node_status_allocatable{resource="nvidia_com_gpu", node=~"$node"}'),
      legend: "{{node}} advertised",
    },
    { expr: `sum by (node) (${requests(', node!="", node=~"$node"')})`, legend: "{{node}} requested" },
  ],
  width: 12,
  height: 8,
};

const conditions: Panel = {
  type: "state-timeline",
  title: "Node conditions",
  description:
    "The node monitoring agent sets the last two. A node with a faulty GPU stays Ready: check AcceleratedHardwareReady.",
  queries: [
    {
      expr: lines(
        maxBy(
          "node, condition",
          'kube_node_status_condition{node=~"$node", condition=~"Ready|AcceleratedHardwareReady|ContainerRuntimeReady", status="true"}',
        ),
        `and on (node) ${allGpuNodes}`,
      ),
      legend: "{{node}} {{condition}}",
    },
  ],
  words: { "0": { text: "no", color: "red" }, "1": { text: "yes", color: "green" } },
  width: 12,
  height: 8,
};

const nodeAge: Panel = {
  type: "timeseries",
  title: "Age of GPU nodes",
  description: "The cost of a node is its age multiplied by its price.",
  queries: [
    {
      expr: lines(
        `(time() - ${maxBy("node", 'kube_node_created{node=~"$node"}')}) / 3600`,
        `and on (node) ${allGpuNodes}`,
      ),
      legend: "{{node}}",
    },
  ],
  unit: "h",
  width: 12,
  height: 8,
};

function daemonSets(namespace: string): Panel {
  const count = (metric: string) => maxBy("daemonset", `${metric}{namespace="${namespace}"}`);
  return {
    type: "timeseries",
    title: "DaemonSets of the GPU Operator",
    description: "Scheduled pods that are not ready. A deleted DaemonSet has no line.",
    queries: [
      {
        expr: lines(
          count("kube_daemonset_status_desired_number_scheduled"),
          `- ${count("kube_daemonset_status_number_ready")}`,
        ),
        legend: "{{daemonset}}",
      },
    ],
    width: 12,
    height: 8,
  };
}

const pendingPods: Panel = {
  type: "table",
  title: "Pods waiting for a GPU",
  description: "The events of a pod contain the reason: kubectl describe pod.",
  queries: [{ expr: waiting, legend: "" }],
  width: 12,
  height: 8,
};

function restarts(namespace: string): Panel {
  const increase = `increase(kube_pod_container_status_restarts_total{namespace="${namespace}"}[1h])`;
  return {
    type: "timeseries",
    title: "Restarts in the GPU Operator's namespace",
    description: "In the last hour, by container.",
    queries: [{ expr: maxBy("pod, container", increase), legend: "{{pod}} {{container}}" }],
    width: 12,
    height: 8,
  };
}

function operatorState(namespace: string): Panel {
  return {
    type: "state-timeline",
    title: "State that the GPU Operator reports",
    description: "The operator also reports ready while the device plugin is disabled, and without GPU nodes.",
    queries: [
      {
        expr: maxBy("namespace", `gpu_operator_reconciliation_status{namespace="${namespace}"}`),
        legend: "{{namespace}}",
      },
    ],
    words: {
      "1": { text: "ready", color: "green" },
      "0": { text: "an operand is not ready", color: "yellow" },
      "-1": { text: "no ClusterPolicy", color: "red" },
      "-2": { text: "internal error", color: "red" },
    },
    width: 12,
    height: 8,
  };
}

const sockets: Panel = {
  type: "state-timeline",
  title: "Sockets replaced by directories",
  description: "On nodes with a SocketWatch.",
  queries: [{ expr: maxBy("node, path", `${socketStateMetric}{state="directory"}`), legend: "{{node}} {{path}}" }],
  words: { "0": { text: "no", color: "green" }, "1": { text: "a directory", color: "red" } },
  width: 12,
  height: 8,
};

/** The nodes that the reader selects at the top of the dashboard. The exporter sets one of the two labels. */
const chosen = '{Hostname=~"$node|", hostname=~"$node|"}';
const gpuLegend = "{{Hostname}} GPU {{gpu}}";

function ofGpus(title: string, description: string, metric: string, unit: NonNullable<Panel["unit"]>): Panel {
  const queries = [{ expr: maxBy(gpuIdentity, byHost(`${metric}${chosen}`)), legend: gpuLegend }];
  return { type: "timeseries", title, description, queries, unit, width: 8, height: 8 };
}

function rowsQuery(field: string, name: string): Panel["queries"][number] {
  return { expr: maxBy(gpuIdentity, byHost(`DCGM_FI_DEV_${field}${chosen}`)), legend: `${gpuLegend} ${name}` };
}

/** @see https://github.com/NVIDIA/dcgm-exporter/blob/4.5.1-4.8.0/etc/dcp-metrics-included.csv, the metrics that the operator configures */
const gpuPanels: readonly Panel[] = [
  ofGpus("Utilization", "Share of the time during which a kernel ran on the GPU.", "DCGM_FI_DEV_GPU_UTIL", "percent"),
  ofGpus("Memory used", "An A10G has 23028 MiB.", "DCGM_FI_DEV_FB_USED", "mbytes"),
  ofGpus("Temperature", "A GPU slows down above its temperature limit.", "DCGM_FI_DEV_GPU_TEMP", "celsius"),
  ofGpus(
    "Power",
    "High utilization with little power means that the GPU waits for data.",
    "DCGM_FI_DEV_POWER_USAGE",
    "watt",
  ),
  {
    type: "timeseries",
    title: "XIDs",
    description:
      "Errors that the driver reported, by number. Each line lasts at least five minutes. The exporter repeats the last error until it restarts; 0 means no error.",
    queries: [
      {
        expr: maxBy(xidIdentity, byHost(`max_over_time(DCGM_FI_DEV_XID_ERRORS${chosen}[5m])`)),
        legend: `${gpuLegend} XID {{err_code}} {{err_msg}}`,
      },
    ],
    unit: "none",
    width: 8,
    height: 8,
  },
  {
    type: "timeseries",
    title: "Memory rows remapped",
    description:
      "Rows remapped after ECC errors. By default the exporter does not export the ECC counters themselves. A failure means that no spare row is left.",
    queries: [
      rowsQuery("CORRECTABLE_REMAPPED_ROWS", "correctable"),
      rowsQuery("UNCORRECTABLE_REMAPPED_ROWS", "uncorrectable"),
      rowsQuery("ROW_REMAP_FAILURE", "failed"),
    ],
    unit: "none",
    width: 8,
    height: 8,
  },
];

function ofServers(
  title: string,
  description: string,
  metrics: Readonly<Record<string, string>>,
  unit: Panel["unit"] = "none",
): Panel {
  const queries = Object.entries(metrics).map(([name, metric]) => ({
    expr: maxBy("namespace, pod", metric),
    legend: `{{namespace}}/{{pod}} ${name}`,
  }));
  return { type: "timeseries", title, description, queries, unit, width: 12, height: 8 };
}

/** @see https://github.com/vllm-project/vllm/blob/v0.11.0/vllm/v1/metrics/loggers.py */
const serverPanels: readonly Panel[] = [
  ofServers("Requests", "A queue that persists means that more requests arrive than the server completes.", {
    running: "vllm:num_requests_running",
    waiting: "vllm:num_requests_waiting",
  }),
  ofServers("KV cache used", "At 100 % new requests wait.", { cache: "vllm:kv_cache_usage_perc" }, "percentunit"),
];
