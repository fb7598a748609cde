import type { Series } from "../../promtool";
import { base, daemonSet, gpuNode, gpuResource, healthy, operator } from "../cluster-series";
import type { Firing, Scenario } from "../promtool-table";
import { always, interrupted, ksm, selector, step, until } from "../series";
import { dcgm, operatorCounts, poolOf, socket, stateMetricsTarget, target, xid } from "../target-series";

const onNode = (node: string) => ({ node });
const exporterDown: Firing = ["DcgmExporterDown", onNode("gpu-1")];
const watchDown: Firing = ["SocketWatchDown", onNode("gpu-1")];
/** A node that neither the operator nor its group has labelled. */
const onlyCapacity = { isPresent: false, nodeLabels: {} };

/** The exporter's metrics of a node end. */
const dcgmUntil = (node: string, minute: number): Series => {
  const metrics = {
    DCGM_FI_DEV_GPU_UTIL: until(minute, 80),
    DCGM_FI_DEV_GPU_TEMP: until(minute, 40),
    DCGM_FI_DEV_ROW_REMAP_FAILURE: until(minute, 0),
  };
  return { ...dcgm(node, metrics), ...xid(node, 0, until(minute, 0)) };
};

/** A Prometheus that keeps the labels of the scraped pod, and renames those of kube-state-metrics. */
function withoutHonorLabels(series: Series): Series {
  const own = 'namespace="monitoring",pod="kube-state-metrics-0"';
  const renamed = (name: string) => name.replace(/\b(namespace|pod)=/g, "exported_$1=").replace("{", `{${own},`);
  return Object.fromEntries(
    Object.entries(series).map(([name, values]) => [name.startsWith("kube_") ? renamed(name) : name, values]),
  );
}

/** Longer than each time that an alert on absence looks back, several times. */
const fourHours = "x240";
const stateMetricsDown: Firing = ["KubeStateMetricsDown", {}];
/** What kube-state-metrics reports of a session until minute 5. */
const reportedUntil5 = Object.fromEntries(
  Object.keys({ ...gpuNode("gpu-1"), ...gpuNode("gpu-2"), ...base() }).map((name) => [name, until(5, 1)]),
);
/** A GPU node and its device plugin, for four hours. */
const nodeForHours = Object.fromEntries(
  Object.entries({ ...gpuNode("gpu-1"), ...daemonSet({ desired: always(1) }) }).map(([name, values]) => [
    name,
    values.replace("x180", fourHours),
  ]),
);
const unreadyExporter = daemonSet({ name: "nvidia-dcgm-exporter", desired: always(1), ready: always(0) });

/** Alerts on absence last as long as the absence, also when Prometheus starts anew and remembers nothing. */
const absent: readonly Scenario[] = [
  [
    "kube-state-metrics stops reporting",
    reportedUntil5,
    [["14m"], ...["15m", "66m", "130m", "240m"].map((at) => [at, stateMetricsDown] as const)],
  ],
  [
    "kube-state-metrics stops reporting and returns after two hours",
    Object.fromEntries(
      Object.entries({ ...gpuNode("gpu-1"), ...base(), ...daemonSet({ desired: always(1) }) }).map(([name, values]) => [
        name,
        `${values.replace("x180", "x4")} stale _x119 ${values}`,
      ]),
    ),
    [["66m", stateMetricsDown], ["124m", stateMetricsDown], ["125m"], ["170m"]],
  ],
  [
    "kube-state-metrics goes for good, in a cluster without an operator and labels of GPUs",
    Object.fromEntries(
      Object.keys(gpuNode("auto", { isPresent: false, nodeLabels: {} })).map((name) => [name, until(5, 1)]),
    ),
    [["14m"], ["15m", stateMetricsDown], ["170m", stateMetricsDown]],
  ],
  [
    "kube-state-metrics exports no node labels, does not answer for a while, and returns",
    {
      ...interrupted(ksm("kube_node_created", { node: "gpu-1" }, always(0)), 5, 20),
      [selector("up", { job: "kube-state-metrics", namespace: "monitoring", pod: "a" })]: `1x4 0x19 ${always(1)}`,
    },
    [["14m"], ["15m", stateMetricsDown], ["24m", stateMetricsDown], ["26m"], ["170m"]],
  ],
  [
    "kube-state-metrics does not answer since before Prometheus started",
    { ...stateMetricsTarget(0), ...dcgm("gpu-1"), ...operatorCounts(1) },
    [["9m"], ["10m", stateMetricsDown], ["170m", stateMetricsDown]],
  ],
  [
    "kube-state-metrics has had no pod since before Prometheus started",
    poolOf("kube-prometheus-stack-kube-state-metrics", 0),
    [["9m"], ["10m", stateMetricsDown], ["170m", stateMetricsDown]],
  ],
  [
    "the last exporter goes with its pod and its target",
    {
      ...nodeForHours,
      ...unreadyExporter,
      ...dcgmUntil("gpu-1", 5),
      ...target("nvidia-dcgm-exporter", "gpu-1", until(5, 1), "gpu-operator"),
    },
    [["14m"], ["15m", exporterDown], ["66m", exporterDown], ["170m", exporterDown]],
  ],
  [
    "metrics of an exporter without a target and a DaemonSet end",
    { ...nodeForHours, ...dcgmUntil("gpu-1", 5) },
    [["14m"], ["15m", exporterDown], ["66m", exporterDown], ["240m", exporterDown]],
  ],
  [
    "no exporter has been ready since before Prometheus started",
    { ...nodeForHours, ...unreadyExporter },
    [["9m"], ["10m", exporterDown], ["170m", exporterDown]],
  ],
  [
    "Prometheus is configured to read exporters, and there is none",
    { ...nodeForHours, ...poolOf("nvidia-dcgm-exporter", 0) },
    [["9m"], ["10m", exporterDown], ["170m", exporterDown]],
  ],
  [
    "the only SocketWatch goes with its pod and its target",
    {
      ...nodeForHours,
      ...target("socket-watch", "gpu-1", until(5, 1), "kube-system"),
      ...Object.fromEntries(Object.keys(socket("gpu-1", "socket")).map((name) => [name, until(5, 0)])),
    },
    [["14m"], ["15m", watchDown], ["66m", watchDown], ["240m", watchDown]],
  ],
  [
    "Prometheus is configured to read SocketWatches, and there is none, on a node known by its capacity",
    { ...base(), ...gpuNode("gpu-1", onlyCapacity), ...poolOf("socket-watch", 0) },
    [["9m"], ["10m", watchDown], ["170m", watchDown]],
  ],
  [
    "the SocketWatches go, and return after half an hour",
    {
      ...base(),
      ...gpuNode("gpu-1", onlyCapacity),
      ...interrupted(target("socket-watch", "gpu-1", always(1), "kube-system"), 5, 30),
      ...interrupted(socket("gpu-1", "socket"), 5, 30),
    },
    [["14m"], ["15m", watchDown], ["29m", watchDown], ["40m"], ["170m"]],
  ],
];

export const monitoring: readonly Scenario[] = [
  [
    "all is well, but kube-state-metrics does not export the label; one node offers MIG devices",
    {
      ...base(),
      ...gpuNode("gpu-1", { isPresent: false }),
      ...gpuNode("gpu-2", { isPresent: false, gpus: "never" }),
      ...gpuResource("gpu-2", "nvidia_com_mig_1g_5gb", always(7)),
      ...daemonSet(),
      ...operator(),
    },
    [["29m"], ["30m", ["GpuNodeLabelsNotMonitored", onNode("gpu-1")], ["GpuNodeLabelsNotMonitored", onNode("gpu-2")]]],
  ],
  [
    "all is well, but the labels of kube-state-metrics are not honored",
    withoutHonorLabels({ ...base(), ...gpuNode("gpu-1"), ...daemonSet({ desired: always(1) }) }),
    [["29m"], ["30m", ["KubeStateMetricsLabelsNotHonored", {}]], ["180m", ["KubeStateMetricsLabelsNotHonored", {}]]],
  ],
  ...absent,
  [
    "the exporter of one node crashes",
    {
      ...healthy(),
      ...dcgmUntil("gpu-1", 5),
      ...target("nvidia-dcgm-exporter", "gpu-1", step(1, 5, 0), "gpu-operator"),
    },
    [["14m"], ["15m", exporterDown], ["150m", exporterDown]],
  ],
  [
    "the exporter never starts on a session's only node, hours after the last one was read",
    {
      ...base(),
      ...operator(),
      ...daemonSet({ desired: always(1) }),
      ...gpuNode("gpu-1", { age: 0 }),
      ...target("nvidia-dcgm-exporter", "gpu-1", always(0), "gpu-operator"),
    },
    [["19m"], ["20m", exporterDown]],
  ],
  [
    "the exporter's pod is gone from one node, and its target with it",
    { ...healthy(), ...dcgmUntil("gpu-1", 5), ...target("nvidia-dcgm-exporter", "gpu-1", until(5, 1), "gpu-operator") },
    [["14m"], ["15m", exporterDown]],
  ],
  [
    "the exporter goes from nodes that only their capacity shows as GPU nodes",
    {
      ...base(),
      ...gpuNode("gpu-1", onlyCapacity),
      ...gpuNode("gpu-2", { ...onlyCapacity, gpus: "never" }),
      ...gpuResource("gpu-2", "nvidia_com_mig_1g_5gb", always(7)),
      ...dcgmUntil("gpu-1", 5),
      ...dcgmUntil("gpu-2", 5),
    },
    [["14m"], ["15m", exporterDown, ["DcgmExporterDown", onNode("gpu-2")]]],
  ],
  [
    "a SocketWatch does not answer, and another may not look",
    {
      ...healthy(),
      ...target("socket-watch", "gpu-1", step(1, 5, 0), "kube-system"),
      ...socket("gpu-1", "socket", until(5, 1)),
      ...socket("gpu-2", "unreadable"),
    },
    [
      ["9m"],
      ["10m", ["SocketWatchDown", onNode("gpu-2")]],
      ["15m", ["SocketWatchDown", onNode("gpu-1")], ["SocketWatchDown", onNode("gpu-2")]],
    ],
  ],
];
