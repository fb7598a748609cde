import { describe, expect, test } from "vitest";
import { gpuDashboardRows } from "../../../components/observe/dashboard/gpu-dashboard-rows";
import { gpuNode, gpuResource, healthy } from "./alerts/cluster-series";
import { always, ksm, seenTwice } from "./alerts/series";
import { pod, request, type GpuContainer } from "./alerts/workload-series";
import { complaintsOfValue, hasPromtool, type Series } from "./promtool";

const mig = (node: string) => ({
  ...gpuNode(node, { gpus: always(0) }),
  ...gpuResource(node, "nvidia_com_mig_1g_5gb", always(7)),
});
const shared = (node: string) => ({
  ...gpuNode(node, { gpus: always(0) }),
  ...gpuResource(node, "nvidia_com_gpu_shared", always(4)),
});

const runs = (pod: string) => ({ namespace: "gpu-lab", pod, uid: `uid-${pod}`, phase: "Running" });
/** What the containers of a running pod request. */
function requests(gpus: Partial<Record<GpuContainer | "other", number>>, pod = "a"): Series {
  const its = { namespace: "gpu-lab", pod, uid: `uid-${pod}`, node: "gpu-1", resource: "nvidia_com_gpu" };
  const containers = Object.entries(gpus).map(([container, number]) =>
    request({
      ...its,
      container,
      kind: container === "other" ? "main" : (container as GpuContainer),
      values: always(number),
    }),
  );
  return Object.assign({}, ksm("kube_pod_status_phase", runs(pod), always(1)), ...containers) as Series;
}

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
    ["Pods waiting for a GPU", 1, { ...healthy(), ...pod("waits", { set: "a", kind: "init", waits: always(1) }) }],
    ["Pods waiting for a GPU", 1, { ...healthy(), ...pod("waits", { set: "a", kind: "sidecar", waits: always(1) }) }],
    ["GPUs requested", 0, requests({})],
    ["GPUs requested", 3, requests({ main: 2, other: 1 })],
    ["GPUs requested", 4, requests({ init: 4, other: 1 })],
    ["GPUs requested", 3, requests({ init: 3, main: 3 })],
    ["GPUs requested", 5, requests({ main: 2, sidecar: 3, init: 4 })],
    ["GPUs requested", 7, requests({ main: 2, sidecar: 1, init: 7 })],
    ["GPUs requested", 6, { ...requests({ init: 4 }), ...requests({ main: 2 }, "b") }],
    ["GPUs requested", 0, { ...requests({ init: 4 }), ...ksm("kube_pod_status_phase", runs("a"), always(0)) }],
  ])("%s: %i", ([title, value, series]) => {
    expect(complaintsOfValue(expression(title), seenTwice(series), value)).toBe("");
    expect(complaintsOfValue(expression(title), series, value + 1)).not.toBe("");
  });
});
