import { expect, test } from "vitest";
import {
  always,
  base,
  daemonSet,
  dcgm,
  deployment,
  gpuNode,
  gpuResource,
  healthy,
  ksm,
  operator,
  pod,
  selector,
  since,
  socket,
  step,
  until,
} from "./cluster-series";
import { alertNames, promtoolTable, type Firing, type Scenario } from "./promtool-table";

const plugin = { namespace: "gpu-operator", daemonset: "nvidia-device-plugin-daemonset" };
const onNode = (node: string) => ({ node });
const gpu = (node: string) => ({ gpu: "0", UUID: `GPU-${node}`, modelName: "NVIDIA A10G", Hostname: node });

/** Everything that an accident which begins at minute 5 raises. */
const zero = (node: string): Firing => ["GpuAllocatableZeroOnGpuNode", onNode(node), 0];

const devicePlugin: readonly Scenario[] = [
  [
    "the plugin is switched off: its DaemonSet goes, the key stays with 0, the operator calls itself ready",
    {
      ...healthy(),
      ...gpuNode("gpu-1", { gpus: step(1, 5, 0) }),
      ...gpuNode("gpu-2", { gpus: step(1, 5, 0) }),
      ...daemonSet({ desired: until(5, 2), created: until(5, -86400) }),
    },
    [
      ["6m"],
      ["7m", zero("gpu-1"), zero("gpu-2"), ["DevicePluginDaemonSetMissing", {}, 2]],
      ["9m", zero("gpu-1"), zero("gpu-2"), ["DevicePluginDaemonSetMissing", {}, 2]],
      [
        "10m",
        ...[zero("gpu-1"), zero("gpu-2")],
        ["DevicePluginDaemonSetMissing", {}, 2],
        ["DevicePluginBelowGpuNodes", {}, 0],
      ],
    ],
  ],
  [
    "and back: the plugin is ready after forty seconds, and all is quiet",
    {
      ...healthy(),
      ...gpuNode("gpu-1", { gpus: `1x4 0x14 ${always(1)}` }),
      ...daemonSet({
        desired: `2x4 stale _x13 ${always(2)}`,
        ready: `2x4 stale _x14 ${always(2)}`,
        created: `-86400x4 stale _x13 ${always(1140)}`,
      }),
    },
    [
      ["18m", zero("gpu-1"), ["DevicePluginDaemonSetMissing", {}, 2], ["DevicePluginBelowGpuNodes", {}, 0]],
      ["20m"],
      ["40m"],
    ],
  ],
  [
    "one of two plugin pods is not ready, and its node offers nothing",
    { ...healthy(), ...gpuNode("gpu-2", { gpus: step(1, 5, 0) }), ...daemonSet({ ready: step(2, 5, 1) }) },
    [
      ["6m"],
      ["9m", zero("gpu-2")],
      ["10m", zero("gpu-2"), ["DevicePluginDaemonSetNotFullyReady", plugin, 1], ["DevicePluginBelowGpuNodes", {}, 1]],
    ],
  ],
  [
    "the DaemonSet wants no pod on a node with a taint that it does not tolerate",
    { ...healthy(), ...gpuNode("gpu-3", { gpus: "never" }) },
    [
      ["4m"],
      ["9m", ["DevicePluginBelowGpuNodes", {}, 2]],
      ["10m", ["DevicePluginBelowGpuNodes", {}, 2], ["GpuNeverOfferedOnGpuNode", onNode("gpu-3")]],
    ],
  ],
  [
    "the only node's plugin runs and waits for a driver: there never was a series",
    { ...base(), ...operator(), ...gpuNode("gpu-1", { gpus: "never" }), ...daemonSet({ desired: always(1) }) },
    [["9m"], ["10m", ["GpuNeverOfferedOnGpuNode", onNode("gpu-1")]]],
  ],
  [
    "a new node offers 0 while the older ones work, and is new no longer after an hour",
    {
      ...healthy(),
      ...gpuNode("gpu-3", { age: 20, gpus: always(0) }),
      ...daemonSet({ desired: always(3) }),
    },
    [
      ["1m"],
      ["3m", zero("gpu-3"), ["GpuMissingOnNewNode", onNode("gpu-3")]],
      ["39m", zero("gpu-3"), ["GpuMissingOnNewNode", onNode("gpu-3")]],
      ["41m", zero("gpu-3")],
    ],
  ],
  [
    "a new node whose kubelet has never heard of the GPU, while the older ones work",
    { ...healthy(), ...gpuNode("gpu-3", { age: 5, gpus: "never" }), ...daemonSet({ desired: always(3) }) },
    [
      ["6m"],
      ["8m", ["GpuMissingOnNewNode", onNode("gpu-3")]],
      ["16m", ["GpuMissingOnNewNode", onNode("gpu-3")], ["GpuNeverOfferedOnGpuNode", onNode("gpu-3")]],
    ],
  ],
  [
    "one GPU of four is unhealthy",
    {
      ...healthy(),
      ...gpuResource("gpu-2", "nvidia_com_gpu", always(4)),
      ...ksm(
        "kube_node_status_allocatable",
        { node: "gpu-2", resource: "nvidia_com_gpu", unit: "integer" },
        step(4, 5, 3),
      ),
    },
    [["9m"], ["10m", ["GpuUnhealthyOnNode", onNode("gpu-2"), 1]]],
  ],
  [
    "all is well, but kube-state-metrics does not export the label",
    { ...base(), ...gpuNode("gpu-1", { isPresent: false }), ...daemonSet({ desired: always(1) }), ...operator() },
    [["29m"], ["30m", ["GpuNodeLabelsNotMonitored", onNode("gpu-1")]]],
  ],
];

const operatorPod = { namespace: "gpu-operator", pod: "nvidia-container-toolkit-daemonset-x", container: "toolkit" };
const deploymentOfOperator = { namespace: "gpu-operator", deployment: "gpu-operator" };

const theOperator: readonly Scenario[] = [
  [
    "its only replica is gone",
    { ...healthy(), ...operator({ available: step(1, 5, 0) }) },
    [["9m"], ["10m", ["GpuOperatorUnavailable", deploymentOfOperator, 0]]],
  ],
  [
    "its ClusterPolicy is gone",
    { ...healthy(), ...operator({ status: step(1, 5, -1) }) },
    [["14m"], ["15m", ["GpuOperatorHasNoClusterPolicy", { namespace: "gpu-operator" }, -1]]],
  ],
  [
    "an operand does not become ready",
    { ...healthy(), ...operator({ status: step(1, 5, 0) }) },
    [["34m"], ["35m", ["GpuOperatorOperandsNotReady", { namespace: "gpu-operator" }, 0]]],
  ],
  [
    "a container crashes, runs for a moment and crashes, 14 times an hour: 681 restarts in two days",
    {
      ...healthy(),
      ...ksm(
        "kube_pod_container_status_waiting_reason",
        { ...operatorPod, reason: "CrashLoopBackOff" },
        `_x5 ${"1x2 stale ".repeat(16)}`.trim(),
      ),
      ...ksm(
        "kube_pod_container_status_restarts_total",
        operatorPod,
        [...Array(80).keys()].map((minute) => Math.floor(minute / 4)).join(" "),
      ),
    },
    [
      ["19m"],
      ["20m", ["GpuOperatorPodCrashLooping", operatorPod]],
      ["24m", ["GpuOperatorPodCrashLooping", operatorPod]],
      ["64m", ["GpuOperatorPodCrashLooping", operatorPod], ["GpuOperatorPodRestarting", operatorPod, 15]],
    ],
  ],
  [
    "the loop is in an init container",
    {
      ...healthy(),
      ...ksm(
        "kube_pod_init_container_status_waiting_reason",
        { ...operatorPod, reason: "CrashLoopBackOff" },
        since(5, 1),
      ),
    },
    [["19m"], ["20m", ["GpuOperatorPodCrashLooping", operatorPod]]],
  ],
  [
    "restarts alone, between which the container is up whenever it is looked at",
    { ...healthy(), ...ksm("kube_pod_container_status_restarts_total", operatorPod, "0x19 0+1x65") },
    [["22m"], ["80m", ["GpuOperatorPodRestarting", operatorPod, 60]]],
  ],
];

const hardware: readonly Scenario[] = [
  [
    "a double-bit error: the agent sets the condition to False, the node stays Ready",
    { ...healthy(), ...gpuNode("gpu-1", { failed: { AcceleratedHardwareReady: step(0, 5, 1) } }) },
    [["6m"], ["7m", ["AcceleratedHardwareNotReady", onNode("gpu-1")]]],
  ],
  [
    "a fatal XID",
    { ...healthy(), ...dcgm("gpu-1", { DCGM_FI_DEV_XID_ERRORS: step(0, 5, 48) }) },
    [
      ["5m"],
      ["6m", ["GpuXidFatal", { ...gpu("gpu-1"), xid: "48", fatal: "true" }], ["GpuXidReported", gpu("gpu-1"), 48]],
      ["40m", ["GpuXidFatal", { ...gpu("gpu-1"), xid: "48", fatal: "true" }]],
    ],
  ],
  [
    "an XID of a program",
    { ...healthy(), ...dcgm("gpu-1", { DCGM_FI_DEV_XID_ERRORS: step(0, 5, 31) }) },
    [["5m"], ["6m", ["GpuXidReported", gpu("gpu-1"), 31]], ["21m"]],
  ],
  [
    "no spare row is left",
    { ...healthy(), ...dcgm("gpu-2", { DCGM_FI_DEV_ROW_REMAP_FAILURE: step(0, 5, 1) }) },
    [["9m"], ["10m", ["GpuRowRemapFailure", gpu("gpu-2")]]],
  ],
  [
    "the kubelet of a GPU node falls silent, and that of another node",
    {
      ...healthy(),
      ...gpuNode("gpu-1", { ready: step(1, 5, 0) }),
      ...ksm("kube_node_status_condition", { node: "system", condition: "Ready", status: "true" }, step(1, 5, 0)),
    },
    [["9m"], ["10m", ["GpuNodeNotReady", onNode("gpu-1"), 0]]],
  ],
  [
    "the container runtime fails",
    { ...healthy(), ...gpuNode("gpu-1", { failed: { ContainerRuntimeReady: step(0, 5, 1) } }) },
    [["9m"], ["10m", ["ContainerRuntimeNotReady", onNode("gpu-1")]]],
  ],
  [
    "the socket's path has become a directory",
    { ...healthy(), ...socket("gpu-1", "directory", step(0, 5, 1)) },
    [["5m"], ["6m", ["RuntimeSocketIsDirectory", { node: "gpu-1", path: "/run/containerd/containerd.sock" }]]],
  ],
];

const inference = { namespace: "gpu-lab", deployment: "inference" };
const newPod = { namespace: "gpu-lab", pod: "inference-new" };

const money: readonly Scenario[] = [
  [
    "a node runs longer than eight hours, with and without an operator",
    {
      ...healthy(),
      ...gpuNode("gpu-1", { age: 470 }),
      ...gpuNode("gpu-4", { age: 480, isPresent: false, gpus: "never" }),
    },
    [
      ["4m"],
      ["6m", ["GpuNodeUpTooLong", onNode("gpu-4"), 486 / 60]],
      ["16m", ["GpuNodeUpTooLong", onNode("gpu-1"), 486 / 60], ["GpuNodeUpTooLong", onNode("gpu-4"), 496 / 60]],
    ],
  ],
  [
    "the GPU of a node has not been used for two hours",
    { ...healthy(), ...dcgm("gpu-1", { DCGM_FI_DEV_GPU_UTIL: always(2) }) },
    [["129m"], ["130m", ["GpuNodeIdle", { Hostname: "gpu-1" }, 2]]],
  ],
];

const waiting: readonly Scenario[] = [
  [
    "a pod waits for a GPU",
    { ...healthy(), ...pod("inference-new", { set: "inference-1", waits: since(5, 1) }) },
    [["14m"], ["15m", ["GpuPodUnschedulable", newPod]]],
  ],
  [
    "surge 1 and unavailable 0: the new revision waits for the GPU that the old one holds",
    {
      ...healthy(),
      ...pod("inference-new", { set: "inference-2", waits: since(5, 1) }),
      ...deployment({ replicas: step(1, 5, 2), stuck: step(0, 15, 1) }),
    },
    [
      ["9m"],
      ["10m", ["GpuRolloutDeadlock", inference]],
      ["15m", ["GpuRolloutDeadlock", inference], ["GpuPodUnschedulable", newPod]],
      [
        "20m",
        ["GpuRolloutDeadlock", inference],
        ["GpuPodUnschedulable", newPod],
        ["GpuDeploymentNotProgressing", inference],
      ],
    ],
  ],
  [
    "the new revision has a GPU and cannot pull its image",
    {
      ...healthy(),
      ...pod("inference-new", { set: "inference-2", node: "gpu-2" }),
      ...deployment({ stuck: step(0, 5, 1) }),
    },
    [["9m"], ["10m", ["GpuDeploymentNotProgressing", inference]]],
  ],
];

const tables = { "device plugin": devicePlugin, operator: theOperator, hardware, money, waiting };
for (const [title, scenarios] of Object.entries(tables)) promtoolTable(title, scenarios);

test("every alert fires in some accident", () => {
  const fired = Object.values(tables).flatMap((scenarios) =>
    scenarios.flatMap(([, , moments]) => moments.flatMap(([, ...firing]) => firing.map(([alert]) => alert))),
  );
  expect([...new Set(fired)].sort()).toEqual([...alertNames].sort());
});

test("a metric of the operator carries the namespace by which the alerts find it", () => {
  expect(Object.keys(operator())).toContain(
    selector("gpu_operator_reconciliation_status", {
      namespace: "gpu-operator",
      job: "gpu-operator",
      pod: "gpu-operator-5d4f",
      endpoint: "gpu-operator-metrics",
    }),
  );
});
