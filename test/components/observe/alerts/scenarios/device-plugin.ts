import { daemonSet, base, gpuNode, gpuResource, healthy, operator, watched } from "../cluster-series";
import type { Firing, Scenario } from "../promtool-table";
import { always, ksm, step, until } from "../series";

const plugin = { namespace: "gpu-operator", daemonset: "nvidia-device-plugin-daemonset" };
const onNode = (node: string) => ({ node });

/** Everything that an accident which begins at minute 5 raises. */
const zero = (node: string): Firing => ["GpuAllocatableZeroOnGpuNode", onNode(node), 0];

export const devicePlugin: readonly Scenario[] = [
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
    "the driver for Dynamic Resource Allocation only joins compute domains, and the plugin is switched off",
    {
      ...base(),
      ...operator(),
      ...gpuNode("gpu-1", { gpus: step(1, 5, 0) }),
      ...daemonSet({ desired: until(5, 1), created: until(5, -86400) }),
      ...daemonSet({ namespace: "nvidia-dra", name: "nvidia-dra-driver-gpu-kubelet-plugin", desired: always(1) }),
    },
    [["6m"], ["7m", zero("gpu-1"), ["DevicePluginDaemonSetMissing", {}, 1]]],
  ],
  [
    "the plugin of a node's image stops (Bottlerocket, EKS Auto Mode): no operator, no label of GPUs",
    { ...base(), ...gpuNode("auto", { isPresent: false, nodeLabels: {}, gpus: step(1, 5, 0) }) },
    [["6m"], ["7m", zero("auto")], ["40m", zero("auto")]],
  ],
  [
    "the plugin is gone, and kube-state-metrics exports no node labels",
    {
      ...base(),
      ...operator(),
      ...Object.fromEntries(
        Object.entries(gpuNode("gpu-1", { gpus: step(1, 5, 0) })).filter(
          ([name]) => !name.startsWith("kube_node_labels"),
        ),
      ),
    },
    [["6m"], ["7m", zero("gpu-1")], ["40m", zero("gpu-1")]],
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
    { ...healthy(), ...gpuNode("gpu-3", { gpus: "never" }), ...watched("gpu-3") },
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
      ...watched("gpu-3"),
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
    {
      ...healthy(),
      ...gpuNode("gpu-3", { age: 5, gpus: "never" }),
      ...watched("gpu-3"),
      ...daemonSet({ desired: always(3) }),
    },
    [
      ["6m"],
      ["8m", ["GpuMissingOnNewNode", onNode("gpu-3")]],
      ["16m", ["GpuMissingOnNewNode", onNode("gpu-3")], ["GpuNeverOfferedOnGpuNode", onNode("gpu-3")]],
    ],
  ],
  [
    "the plugin of a node stops whose GPUs are all MIG devices",
    {
      ...base(),
      ...operator(),
      ...gpuNode("gpu-1", { gpus: "never" }),
      ...gpuResource("gpu-1", "nvidia_com_mig_1g_5gb", step(7, 5, 0)),
      ...daemonSet({ desired: always(1) }),
    },
    [["6m"], ["7m", zero("gpu-1")], ["170m", zero("gpu-1")]],
  ],
  [
    "one GPU of two is unhealthy: half of the MIG devices and of the shared GPUs",
    {
      ...healthy(),
      ...Object.assign(
        {},
        ...["nvidia_com_mig_1g_5gb", "nvidia_com_gpu_shared"].map((resource) => ({
          ...gpuResource("gpu-2", resource, always(14)),
          ...ksm("kube_node_status_allocatable", { node: "gpu-2", resource, unit: "integer" }, step(14, 5, 7)),
        })),
      ),
    },
    [["9m"], ["10m", ["GpuUnhealthyOnNode", onNode("gpu-2"), 14]]],
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
];
