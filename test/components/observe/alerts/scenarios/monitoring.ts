import type { Series } from "../../promtool";
import { base, daemonSet, gpuNode, gpuResource, healthy, operator } from "../cluster-series";
import type { Firing, Scenario } from "../promtool-table";
import { always, step, until } from "../series";
import { dcgm, socket, target, xid } from "../target-series";

const onNode = (node: string) => ({ node });
const exporterDown: Firing = ["DcgmExporterDown", onNode("gpu-1")];

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
  [
    "kube-state-metrics stops reporting: its last metrics remain known for an hour",
    Object.fromEntries(
      Object.keys({ ...gpuNode("gpu-1"), ...gpuNode("gpu-2"), ...base() }).map((name) => [name, until(5, 1)]),
    ),
    [["14m"], ["15m", ["KubeStateMetricsDown", {}, 2]], ["60m", ["KubeStateMetricsDown", {}, 2]], ["66m"]],
  ],
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
