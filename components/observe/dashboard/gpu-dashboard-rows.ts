import { allocatableGpus, boughtGpuNodes, lines, once, otherGpuResources, podsWithGpu } from "../alerts/promql";
import { socketStateMetric } from "../../workloads/socket/socket-metrics";
import { gpuPanels } from "./gpu-panels";
import type { Panel, Row } from "./panel";

/** What the dashboard shows. `namespace` is the GPU Operator's. */
export function gpuDashboardRows(namespace: string): Row[] {
  return [
    { title: "At a glance", panels: glance },
    { title: "Nodes", panels: nodes(namespace) },
    { title: "GPUs", panels: gpuPanels },
    { title: "Pods", panels: pods(namespace) },
  ];
}

/** Requests of pods that run or wait; those of pods that have ended stay in the metrics until they are deleted. */
const requests = (where = "") =>
  lines(
    once("namespace, pod, container, node", `kube_pod_container_resource_requests{resource="nvidia_com_gpu"${where}}`),
    'and on (namespace, pod) kube_pod_status_phase{phase=~"Pending|Running"} == 1',
  );
const waiting = `${once("namespace, pod", "kube_pod_status_unschedulable")} and on (namespace, pod) ${podsWithGpu}`;

function number(title: string, description: string, expr: string, thresholds: Panel["thresholds"]): Panel {
  const queries = [{ expr: `(${expr}) or vector(0)`, legend: title }];
  return { type: "stat", title, description, queries, unit: "none", thresholds: thresholds ?? [], width: 4, height: 4 };
}

const calm = [{ color: "blue" }] as const;
const badFromOne = [{ color: "green" }, { from: 1, color: "red" }] as const;

const glance: readonly Panel[] = [
  number("GPU nodes", "Each costs money while it is there.", `count(${once("node", boughtGpuNodes)})`, calm),
  number("GPUs offered", "What the nodes offer as nvidia.com/gpu.", `sum(${once("node", allocatableGpus)})`, calm),
  number("GPUs requested", "As nvidia.com/gpu, by pods that run or wait.", `sum(${requests()})`, calm),
  number("Pods waiting for a GPU", "The scheduler has no place for them.", `count(${waiting})`, [
    { color: "green" },
    { from: 1, color: "yellow" },
  ]),
  number(
    "Nodes that offer none",
    "They have a GPU and offer 0, under no other name either: the device plugin is gone, or the GPU is faulty.",
    `count(${once("node", allocatableGpus)} == 0 and on (node) ${boughtGpuNodes} unless on (node) ${otherGpuResources} > 0)`,
    badFromOne,
  ),
  number(
    "Alerts",
    "Those that fire now, of the GPU alerts: only they ask for a page or a ticket.",
    'count(ALERTS{alertstate="firing", severity=~"page|ticket"})',
    badFromOne,
  ),
];

/** True, false, or not told. */
const conditions: Panel = {
  type: "state-timeline",
  title: "Node conditions",
  description:
    "The last two are the node monitoring agent's. A node with a faulty GPU stays Ready: look at AcceleratedHardwareReady.",
  queries: [
    {
      expr: lines(
        once(
          "node, condition",
          'kube_node_status_condition{node=~"$node", condition=~"Ready|AcceleratedHardwareReady|ContainerRuntimeReady", status="true"}',
        ),
        `and on (node) ${boughtGpuNodes}`,
      ),
      legend: "{{node}} {{condition}}",
    },
  ],
  words: { "0": { text: "no", color: "red" }, "1": { text: "yes", color: "green" } },
  width: 12,
  height: 8,
};

function nodes(namespace: string): Panel[] {
  const ofDaemonSets = (metric: string) => once("daemonset", `${metric}{namespace="${namespace}"}`);
  return [
    {
      type: "timeseries",
      title: "GPUs offered and requested",
      description: "A node whose device plugin has gone keeps its line, at 0.",
      queries: [
        {
          expr: once("node", 'kube_node_status_allocatable{resource="nvidia_com_gpu", node=~"$node"}'),
          legend: "{{node}} offered",
        },
        { expr: `sum by (node) (${requests(', node!="", node=~"$node"')})`, legend: "{{node}} requested" },
      ],
      width: 12,
      height: 8,
    },
    conditions,
    {
      type: "timeseries",
      title: "Age of GPU nodes",
      description: "What a node has cost so far is its age times its price.",
      queries: [
        {
          expr: lines(
            `(time() - ${once("node", 'kube_node_created{node=~"$node"}')}) / 3600`,
            `and on (node) ${boughtGpuNodes}`,
          ),
          legend: "{{node}}",
        },
      ],
      unit: "h",
      width: 12,
      height: 8,
    },
    {
      type: "timeseries",
      title: "DaemonSets of the GPU Operator",
      description: "Pods that should be there and are not ready. A DaemonSet that was deleted has no line.",
      queries: [
        {
          expr: lines(
            ofDaemonSets("kube_daemonset_status_desired_number_scheduled"),
            `- ${ofDaemonSets("kube_daemonset_status_number_ready")}`,
          ),
          legend: "{{daemonset}}",
        },
      ],
      width: 12,
      height: 8,
    },
  ];
}

function pods(namespace: string): Panel[] {
  const restarts = `increase(kube_pod_container_status_restarts_total{namespace="${namespace}"}[1h])`;
  return [
    {
      type: "table",
      title: "Pods waiting for a GPU",
      description: "Why each waits is in its events: kubectl describe pod.",
      queries: [{ expr: waiting, legend: "" }],
      width: 12,
      height: 8,
    },
    {
      type: "timeseries",
      title: "Restarts in the GPU Operator's namespace",
      description: "In the last hour, by container.",
      queries: [{ expr: once("pod, container", restarts), legend: "{{pod}} {{container}}" }],
      width: 12,
      height: 8,
    },
    {
      type: "state-timeline",
      title: "What the GPU Operator says of itself",
      description: "Ready also while the device plugin is switched off, and with no GPU node at all.",
      queries: [
        {
          expr: once("namespace", `gpu_operator_reconciliation_status{namespace="${namespace}"}`),
          legend: "{{namespace}}",
        },
      ],
      words: {
        "1": { text: "ready", color: "green" },
        "0": { text: "something is not ready", color: "yellow" },
        "-1": { text: "no ClusterPolicy", color: "red" },
        "-2": { text: "an error of its own", color: "red" },
      },
      width: 12,
      height: 8,
    },
    {
      type: "state-timeline",
      title: "Sockets that have become directories",
      description: "Where a SocketWatch runs.",
      queries: [{ expr: once("node, path", `${socketStateMetric}{state="directory"}`), legend: "{{node}} {{path}}" }],
      words: { "0": { text: "no", color: "green" }, "1": { text: "a directory", color: "red" } },
      width: 12,
      height: 8,
    },
  ];
}
