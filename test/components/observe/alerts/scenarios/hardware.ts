import type { Series } from "../../promtool";
import { gpuNode, healthy } from "../cluster-series";
import type { Firing, Scenario } from "../promtool-table";
import { always, ksm, since, step, until } from "../series";
import { asNewExporter, dcgm, socket, xid, xidLabels } from "../target-series";

const onNode = (node: string) => ({ node });
const gpu = (node: string) => ({ gpu: "0", UUID: `GPU-${node}`, modelName: "NVIDIA A10G", Hostname: node });

export const hardware: readonly Scenario[] = [
  [
    "a double-bit error: the agent sets the condition to False, the node stays Ready",
    { ...healthy(), ...gpuNode("gpu-1", { failed: { AcceleratedHardwareReady: step(0, 5, 1) } }) },
    [["6m"], ["7m", ["AcceleratedHardwareNotReady", onNode("gpu-1")]]],
  ],
  [
    "no spare row is left",
    { ...healthy(), ...dcgm("gpu-2", { DCGM_FI_DEV_ROW_REMAP_FAILURE: step(0, 5, 1) }) },
    [["9m"], ["10m", ["GpuRowRemapFailure", gpu("gpu-2")]]],
  ],
  [
    "no spare row is left, as an exporter that calls the label hostname reports it",
    asNewExporter({ ...healthy(), ...dcgm("gpu-2", { DCGM_FI_DEV_ROW_REMAP_FAILURE: step(0, 5, 1) }) }),
    [["9m"], ["10m", ["GpuRowRemapFailure", gpu("gpu-2")]]],
  ],
  [
    "the kubelet of a GPU node stops reporting, and that of another node",
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

const fatal = (code: number): Firing => ["GpuXidFatal", xidLabels("gpu-1", code), code];
const reported = (code: number): Firing => ["GpuXidReported", xidLabels("gpu-1", code), code];

/** The exporter of gpu-1 with the XIDs that it tells, by number. */
function xids(seen: Readonly<Record<number, string>>): Series {
  const reported = Object.entries(seen).map(([code, values]) => xid("gpu-1", Number(code), values));
  return reported.reduce((all, one) => ({ ...all, ...one }), { ...healthy(), ...xid("gpu-1", 0, until(5, 0)) });
}

export const xidAlerts: readonly Scenario[] = [
  [
    "a GPU falls off the bus, and the exporter goes on repeating it",
    xids({ 79: since(5, 79) }),
    [["4m"], ["5m", fatal(79)], ["40m", fatal(79)]],
  ],
  [
    "a GPU falls off the bus, and later a program fails, as an exporter that calls the label hostname reports it",
    asNewExporter(xids({ 79: "_x5 79x4 stale", 31: since(10, 31) })),
    [["5m", fatal(79)], ["10m", fatal(79), reported(31)], ["30m", fatal(79)], ["40m"]],
  ],
  [
    "the cleanup that follows a fatal XID takes its place within a minute",
    xids({ 79: "_x5 79 stale", 45: since(6, 45) }),
    [
      ["4m"],
      ["5m", fatal(79)],
      ["6m", fatal(79), reported(45)],
      ["20m", fatal(79), reported(45)],
      ["34m", fatal(79)],
      ["36m"],
    ],
  ],
  [
    "the node is replaced: half an hour later the alert no longer fires",
    xids({ 79: "_x5 79x4 stale" }),
    [["9m", fatal(79)], ["38m", fatal(79)], ["40m"]],
  ],
  [
    "an XID of a program, then another, then the first again",
    xids({ 31: `_x5 31x24 stale _x29 ${always(31)}`, 43: "_x30 43x29 stale" }),
    [
      ["4m"],
      ["5m", reported(31)],
      ["19m", reported(31)],
      ["21m"],
      ["30m", reported(43)],
      ["60m", reported(31)],
      ["80m"],
    ],
  ],
  [
    "an XID of a pod that ends meanwhile: its labels go, and it is no other one",
    {
      ...xids({ 31: since(10, 31) }),
      ...xid("gpu-1", 31, "_x5 31x4 stale", { exported_namespace: "gpu-lab", exported_pod: "train-0" }),
    },
    [["5m", reported(31)], ["10m", reported(31)], ["19m", reported(31)], ["21m"], ["40m"]],
  ],
  ["a row of memory is replaced: no page fires", xids({ 63: since(5, 63) }), [["4m"], ["5m", reported(63)], ["21m"]]],
  [
    "an XID from before Prometheus began to look",
    { ...healthy(), ...xid("gpu-1", 0, "_x1"), ...xid("gpu-1", 31, always(31)) },
    [["1m", reported(31)], ["16m"]],
  ],
];
