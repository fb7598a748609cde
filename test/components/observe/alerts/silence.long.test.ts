import type { Series } from "../promtool";
import { base, claimDriver, daemonSet, gpuNode, gpuResource, healthy, operator } from "./cluster-series";
import { promtoolTable } from "./promtool-table";
import { always, interrupted, ksm, selector, since, step, until } from "./series";
import { dcgm, operatorCounts, poolOf, socket, stateMetricsTarget, target, xid } from "./target-series";
import { deployment, job, pod } from "./workload-series";

/** Nothing fires at any of these times: the longest wait of an alert is half an hour. */
const never = [["1m"], ["7m"], ["10m"], ["13m"], ["16m"], ["20m"], ["25m"], ["40m"]] as const;
/** Nor after the two hours that it takes to call a GPU idle. */
const neverForHours = [...never, ["125m"], ["140m"]] as const;

/** Nor when the last use is two hours back, and the node gone. */
const forHoursAfter = [...neverForHours, ["152m"], ["158m"], ["165m"], ["175m"]] as const;

/** One node, used for twenty minutes, that goes in some minute. */
function lastUsedBeforeItsEnd(end: number): Series {
  const there = until(end, 1);
  const metrics = { DCGM_FI_DEV_GPU_UTIL: `80x19 0x${end - 21} stale`, DCGM_FI_DEV_GPU_TEMP: until(end, 40) };
  return {
    ...base(),
    ...operator(),
    ...gpuNode("gpu-1", { gpus: there, labels: there, ready: there }),
    ...daemonSet({ desired: step(1, end, 0) }),
    ...dcgm("gpu-1", metrics),
  };
}

const crashLoop = { namespace: "gpu-operator", pod: "nvidia-dcgm-exporter-x", container: "nvidia-dcgm-exporter" };

promtoolTable("silent", [
  ["two healthy nodes in a session", healthy(), neverForHours],
  [
    "zero GPU nodes, the operator ready and its DaemonSet without pods",
    { ...base(), ...operator(), ...daemonSet({ desired: always(0) }) },
    never,
  ],
  ["zero GPU nodes and no operator", base(), never],
  [
    "a node that only its capacity shows as a GPU node, with an exporter and without a SocketWatch",
    { ...base(), ...gpuNode("gpu-1", { isPresent: false, nodeLabels: {} }), ...dcgm("gpu-1") },
    never,
  ],
  ["such a node, not monitored", { ...base(), ...gpuNode("gpu-1", { isPresent: false, nodeLabels: {} }) }, never],
  [
    "zero GPU nodes, and work that waits for a session: a pod, a rollout that gave up, a Job past its deadline",
    {
      ...base(),
      ...operator(),
      ...daemonSet({ desired: always(0) }),
      ...pod("inference-new", { set: "inference-2", waits: always(1) }),
      ...deployment({ replicas: always(2), stuck: step(0, 10, 1) }),
      ...job("all-reduce", { nodes: ["", ""], pods: until(20, 1), failed: since(20, 1) }),
    },
    never,
  ],
  [
    "a session ends for the night, and its pods wait for the next",
    {
      ...base(),
      ...operator(),
      ...gpuNode("gpu-1", { gpus: "1x5 stale", labels: "1x5 stale", ready: "1x5 stale" }),
      ...daemonSet({ desired: `1x5 ${always(0)}` }),
      ...dcgm("gpu-1", { DCGM_FI_DEV_GPU_UTIL: until(6, 80), DCGM_FI_DEV_GPU_TEMP: until(6, 40) }),
      ...pod("inference-old", { set: "inference-1", waits: since(6, 1) }),
      ...deployment({ stuck: step(0, 16, 1) }),
    },
    never,
  ],
  ["a session of two hours ends, its GPU idle since minute 20", lastUsedBeforeItsEnd(120), forHoursAfter],
  ["a session of forty minutes ends, its GPU idle since minute 20", lastUsedBeforeItsEnd(40), forHoursAfter],
  [
    "a session begins: what has waited finds its place within ten minutes",
    {
      ...base(),
      ...operator(),
      ...gpuNode("gpu-1", { age: -5, gpus: since(13, 1), labels: since(6, 1), ready: since(6, 1) }),
      ...daemonSet({ desired: step(0, 6, 1), ready: step(0, 13, 1) }),
      ...pod("inference-old", { set: "inference-1", waits: "1x13 stale" }),
      ...deployment({ stuck: `1x13 ${always(0)}` }),
    },
    never,
  ],
  [
    "no operator: the image of a node has the plugin (Bottlerocket, EKS Auto Mode), and the node no label of GPUs",
    { ...base(), ...gpuNode("gpu-1", { isPresent: false, nodeLabels: {} }) },
    neverForHours,
  ],
  [
    "claims instead of a device plugin: the driver for Dynamic Resource Allocation, and a plugin that is switched off",
    {
      ...base(),
      ...operator(),
      ...gpuNode("gpu-1", { gpus: "never" }),
      ...daemonSet({ namespace: "nvidia-dra", name: "nvidia-dra-driver-gpu-kubelet-plugin", desired: always(1) }),
    },
    never,
  ],
  [
    "one node hands out GPUs by claims, another by a device plugin",
    {
      ...base(),
      ...operator(),
      ...gpuNode("gpu-1"),
      ...gpuNode("gpu-2", { gpus: "never", age: 3 }),
      ...claimDriver("gpu-2"),
      ...daemonSet({ desired: always(1) }),
      ...daemonSet({ namespace: "nvidia-dra", name: "nvidia-dra-driver-gpu-kubelet-plugin", desired: always(1) }),
    },
    never,
  ],
  [
    "a node boots anew: NotReady for two minutes, and no GPU for two more",
    {
      ...healthy(),
      ...gpuNode("gpu-1", { ready: `1x4 0x1 ${always(1)}`, gpus: `1x4 0x3 ${always(1)}` }),
      ...daemonSet({ ready: `2x4 1x3 ${always(2)}` }),
    },
    never,
  ],
  [
    "an exporter that was not told its node: the host name is that of its pod",
    Object.fromEntries(
      Object.entries(healthy()).map(([name, values]) => [
        name.replace('Hostname="', 'Hostname="nvidia-dcgm-exporter-'),
        values,
      ]),
    ),
    forHoursAfter,
  ],
  ["kube-state-metrics starts anew", interrupted(healthy(), 5, 4), never],
  ["nothing is monitored", {}, never],
  [
    "only nodes are reported, no DaemonSets, pods or GPUs",
    { ...ksm("kube_node_labels", { node: "gpu-1", label_nvidia_com_gpu_present: "true" }, always(1)) },
    never,
  ],
  ["only the exporter is read", dcgm("gpu-1"), neverForHours],
  [
    "a node joins: label at once, plugin ready six minutes later, its exporter waits for the engine in a crash loop",
    {
      ...healthy(),
      ...gpuNode("gpu-3", { age: -5, gpus: since(13, 1), labels: since(6, 1), ready: `_x5 0x1 ${always(1)}` }),
      ...daemonSet({ desired: step(2, 6, 3), ready: step(2, 13, 3) }),
      ...operator({ status: `1x5 0x8 ${always(1)}` }),
      ...dcgm("gpu-3", { DCGM_FI_DEV_GPU_UTIL: since(14, 0), DCGM_FI_DEV_GPU_TEMP: since(14, 40) }),
      ...target("node-exporter", "gpu-3", `_x6 0x1 ${always(1)}`),
      ...target("nvidia-dcgm-exporter", "gpu-3", `_x7 0x6 ${always(1)}`, "gpu-operator"),
      ...ksm("kube_pod_container_status_waiting_reason", { ...crashLoop, reason: "CrashLoopBackOff" }, "_x7 1x3 stale"),
      ...ksm("kube_pod_container_status_restarts_total", crashLoop, `_x6 0 1 2 3 ${always(3)}`),
    },
    never,
  ],
  [
    "the first node ever joins, and its kubelet reports 0 until the plugin is there",
    {
      ...base(),
      ...operator(),
      ...gpuNode("gpu-1", { age: -5, gpus: `_x6 0x6 ${always(1)}`, labels: since(6, 1), ready: since(5, 1) }),
      ...daemonSet({ desired: step(0, 6, 1), ready: step(0, 13, 1) }),
    },
    never,
  ],
  [
    "the operator is installed on nodes that have run for hours",
    {
      ...base(),
      ...gpuNode("gpu-1", { gpus: since(12, 1), labels: since(5, 1) }),
      ...daemonSet({ created: since(5, 300), desired: since(5, 1), ready: `_x5 0x6 ${always(1)}` }),
      ...operator({ available: `_x3 0x1 ${always(1)}`, status: `_x4 0x8 ${always(1)}` }),
    },
    never,
  ],
  ["the plugin restarts: 0 for a minute", { ...healthy(), ...gpuNode("gpu-1", { gpus: `1x5 0 ${always(1)}` }) }, never],
  [
    "the operator rolls its DaemonSet out, two nodes in four minutes",
    {
      ...healthy(),
      ...daemonSet({ ready: `2x5 1x3 ${always(2)}` }),
      ...operator({ available: `1x5 0x2 ${always(1)}` }),
    },
    never,
  ],
  [
    "a session ends: the nodes go NotReady and away",
    {
      ...base(),
      ...operator(),
      ...gpuNode("gpu-1", { gpus: "1x5 0 stale", labels: "1x6 stale", ready: "1x4 0 0 stale" }),
      ...daemonSet({ desired: `1x6 ${always(0)}`, ready: `1x5 ${always(0)}` }),
    },
    [["6m"], ["8m"], ["30m"]],
  ],
  [
    "GPUs are offered as shared ones or as MIG devices",
    {
      ...base(),
      ...operator(),
      ...daemonSet(),
      ...gpuNode("gpu-1", { gpus: always(0) }),
      ...gpuResource("gpu-1", "nvidia_com_gpu_shared", always(4)),
      ...gpuNode("gpu-2", { gpus: "never", age: 20 }),
      ...gpuResource("gpu-2", "nvidia_com_mig_1g_5gb", always(7)),
    },
    never,
  ],
  [
    "the plugin of another chart, or of the nodes' image, advertises every GPU",
    { ...base(), ...operator(), ...gpuNode("gpu-1"), ...daemonSet({ namespace: "kube-system", name: "nvdp" }) },
    never,
  ],
  ["GPU nodes, no operator installed", { ...base(), ...gpuNode("gpu-1", { isPresent: false, gpus: "never" }) }, never],
  [
    "a rollout with surge 0: the new pod waits until the old one has ended",
    {
      ...healthy(),
      ...pod("inference-new", { set: "inference-2", waits: "_x5 1x3 stale" }),
      ...deployment({ updated: `1x4 0 ${always(1)}`, surge: 0, unavailable: 1 }),
    },
    never,
  ],
  [
    "surge 1 and unavailable 1: a new pod waits for long, but an old one has made room",
    {
      ...healthy(),
      ...pod("inference-new", { set: "inference-2", waits: "_x5 1x9 stale" }),
      ...deployment({ replicas: always(3), updated: `3x4 1x9 ${always(3)}`, unavailable: 1 }),
    },
    never,
  ],
  [
    "surge 0 and a quarter of three, which is 0 and yet lets one go",
    {
      ...healthy(),
      ...pod("inference-new", { set: "inference-2", waits: "_x5 1x9 stale" }),
      ...deployment({ replicas: always(3), updated: `3x4 1x9 ${always(3)}`, surge: 0 }),
    },
    never,
  ],
  [
    "pods without a GPU that wait, and their rollout, are not ours",
    {
      ...healthy(),
      ...pod("web", { set: "web-1", deployment: "inference", resource: "cpu", waits: always(1) }),
      ...deployment({ replicas: always(2) }),
    },
    never,
  ],
  [
    "crash loops, XIDs and sockets of other places",
    {
      ...healthy(),
      ...ksm(
        "kube_pod_container_status_waiting_reason",
        { namespace: "default", pod: "a", container: "b", reason: "CrashLoopBackOff" },
        always(1),
      ),
      ...ksm("kube_pod_container_status_waiting_reason", { ...crashLoop, reason: "ContainerCreating" }, always(1)),
      ...socket("gpu-2", "missing"),
      ...job("backup", { nodes: [], pods: always(1), failed: since(5, 1) }),
    },
    never,
  ],
  [
    "a GPU that was busy once in two hours, in whichever pod",
    {
      ...healthy(),
      ...dcgm("gpu-1", { DCGM_FI_DEV_GPU_UTIL: always(0) }),
      ...dcgm("gpu-1", { DCGM_FI_DEV_GPU_UTIL: "0x90 60x5 stale" }, { exported_pod: "job" }),
    },
    [["125m"], ["150m"]],
  ],
  [
    "an exporter that is younger than the two hours that are looked at",
    { ...healthy(), ...dcgm("gpu-1", { DCGM_FI_DEV_GPU_UTIL: since(70, 0) }) },
    [["140m"], ["170m"]],
  ],
  [
    "an exporter that repeats an old XID of a program, and restarts",
    { ...healthy(), ...xid("gpu-1", 0, "_x1"), ...xid("gpu-1", 31, `31x20 stale _x2 ${always(31)}`) },
    [["16m"], ["20m"], ["25m"], ["36m"], ["38m"], ["60m"]],
  ],
  [
    "one target of a node is silent, another answers; one that is alone is silent",
    {
      ...healthy(),
      ...target("node-exporter", "gpu-1", always(0)),
      ...gpuNode("gpu-3"),
      ...target("node-exporter", "gpu-3", always(0)),
      ...dcgm("gpu-3"),
      ...daemonSet({ desired: always(3) }),
    },
    never,
  ],
  [
    "an exporter that Prometheus has never read, and none",
    { ...base(), ...operator(), ...gpuNode("gpu-1"), ...daemonSet({ desired: always(1) }) },
    never,
  ],
  [
    "kube-state-metrics does not answer, and the GPU Operator counts no GPU nodes",
    { ...stateMetricsTarget(0), ...operator(), ...operatorCounts(0) },
    forHoursAfter,
  ],
  [
    "kube-state-metrics goes while no GPU node runs, and returns",
    Object.fromEntries(Object.keys(base()).map((name) => [name, `1x5 stale _x150 ${always(1)}`])),
    forHoursAfter,
  ],
  [
    "one of two replicas of kube-state-metrics does not answer, and it exports no labels",
    { ...stateMetricsTarget(0, "a"), ...stateMetricsTarget(1, "b"), ...dcgm("gpu-1") },
    forHoursAfter,
  ],
  [
    "exporters are installed, and no GPU node runs",
    {
      ...base(),
      ...operator(),
      ...operatorCounts(0),
      ...daemonSet({ desired: always(0) }),
      ...daemonSet({ name: "nvidia-dcgm-exporter", desired: always(0) }),
      ...poolOf("nvidia-dcgm-exporter", 0),
    },
    forHoursAfter,
  ],
  [
    "Prometheus does not read the exporters, and that of a new node has not started",
    {
      ...base(),
      ...operator(),
      ...gpuNode("gpu-1"),
      ...gpuNode("gpu-2", { age: 0 }),
      ...daemonSet(),
      ...daemonSet({ name: "nvidia-dcgm-exporter", ready: `1x14 ${always(2)}` }),
    },
    forHoursAfter,
  ],
  [
    "the exporter and the SocketWatch are rolled out anew: some minutes without metrics",
    {
      ...healthy(),
      ...dcgm("gpu-1", { DCGM_FI_DEV_GPU_TEMP: `40x5 stale _x4 ${always(40)}` }),
      ...target("nvidia-dcgm-exporter", "gpu-1", `1x5 0x4 ${always(1)}`, "gpu-operator"),
      ...target("socket-watch", "gpu-1", `1x5 0x4 ${always(1)}`, "kube-system"),
    },
    never,
  ],
  [
    "the SocketWatch is uninstalled",
    {
      ...healthy(),
      ...target("socket-watch", "gpu-1", until(5, 1), "kube-system"),
      ...socket("gpu-1", "socket", until(5, 1)),
    },
    never,
  ],
  [
    "the value of a metric of another operator",
    { [selector("gpu_operator_reconciliation_status", { namespace: "other" })]: always(-1) },
    never,
  ],
]);
