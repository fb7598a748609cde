import { describe, expect, test } from "vitest";
import { gpuDashboardRows } from "../../../components/observe/dashboard/gpu-dashboard-rows";
import { gpuNode, gpuResource, healthy } from "./alerts/cluster-series";
import { always, seenTwice } from "./alerts/series";
import { pod } from "./alerts/workload-series";
import { complaintsOfValue, hasPromtool, type Series } from "./promtool";

const mig = (node: string) => ({
  ...gpuNode(node, { gpus: always(0) }),
  ...gpuResource(node, "nvidia_com_mig_1g_5gb", always(7)),
});
const shared = (node: string) => ({
  ...gpuNode(node, { gpus: always(0) }),
  ...gpuResource(node, "nvidia_com_gpu_shared", always(4)),
});

describe.skipIf(!hasPromtool)("the number in a panel", () => {
  const [overview] = gpuDashboardRows("gpu-operator");
  const expression = (title: string) =>
    overview?.panels.find((panel) => panel.title === title)?.queries.map(({ expr }) => expr)[0] ?? "";
  const waiting = (resource: string) => pod("waits", { set: "a", resource, waits: always(1) });

  test.for<[string, number, Series]>([
    ["Nodes without GPUs", 0, {}],
    ["Nodes without GPUs", 0, healthy()],
    ["Nodes without GPUs", 0, { ...healthy(), ...mig("gpu-1"), ...shared("gpu-2") }],
    ["Nodes without GPUs", 1, { ...healthy(), ...mig("gpu-1"), ...gpuNode("gpu-3", { gpus: always(0) }) }],
    ["Pods waiting for a GPU", 0, { ...healthy(), ...waiting("cpu") }],
    ["Pods waiting for a GPU", 1, { ...healthy(), ...waiting("nvidia_com_gpu") }],
    ["Pods waiting for a GPU", 1, { ...healthy(), ...waiting("nvidia_com_gpu_shared") }],
    ["Pods waiting for a GPU", 1, { ...healthy(), ...waiting("nvidia_com_mig_1g_5gb") }],
  ])("%s: %i", ([title, value, series]) => {
    expect(complaintsOfValue(expression(title), seenTwice(series), value)).toBe("");
    expect(complaintsOfValue(expression(title), series, value + 1)).not.toBe("");
  });
});
