import { describe, expect, test } from "vitest";
import {
  changedState,
  isFakeNode,
  patchesTo,
  recordedState,
  recordOf,
  stateOf,
  type NodeChange,
} from "../../../commands/drill/node-state";
import { fakeNode, mergePatch, type Raw } from "./support/fake-cluster";

const now = "2026-01-01T01:00:00Z";
const changes: readonly NodeChange[] = [
  { cordon: true },
  { taint: { key: "team", value: "research", effect: "NoSchedule" } },
  { gpus: 0 },
  { addedGpus: 1 },
  { unhealthy: { reason: "NvidiaXID79Error", message: "Nvidia XID detected: 79" } },
];
const healthy = { type: "AcceleratedHardwareReady", status: "True", reason: "NvidiaGPUIsReady" };
const nodes: Readonly<Record<string, Raw>> = {
  "fake node": fakeNode("a"),
  "fake node without annotation": fakeNode("a", { metadata: { annotations: null } }),
  "node without taints": fakeNode("a", { spec: { taints: null } }),
  "node with a health condition": fakeNode("a", {
    status: { conditions: [{ type: "Ready", status: "True" }, healthy] },
  }),
  "node with a kubelet": fakeNode("a", { status: { nodeInfo: { containerRuntimeVersion: "containerd://2.1.3" } } }),
};
const cases = Object.entries(nodes).flatMap(([name, node]) =>
  changes
    // A kubelet would overwrite the number.
    .filter((change) => !("addedGpus" in change) || isFakeNode(node))
    .map((change) => [`${name}, ${Object.keys(change)[0]}`, node, change] as const),
);

function applied(node: Raw, wanted: ReturnType<typeof stateOf>): Raw {
  return patchesTo(wanted, node).reduce((current, { body }) => mergePatch(current, body) as Raw, node);
}

describe("a change and its undoing leave the node as it was", () => {
  test.each(cases)("%s", (_, node, change) => {
    const before = stateOf(node);
    const wanted = changedState(before, change, now);
    const changed = applied(node, wanted);
    expect(patchesTo(wanted, changed)).toEqual([]);
    expect(changed).not.toEqual(node);
    const restored = applied(changed, before);
    expect(patchesTo(before, restored)).toEqual([]);
    expect(restored).toEqual(node);
  });
});

test("a change of the GPUs changes the annotation too, from which a stage of KWOK would restore them", () => {
  const node = nodes["fake node"] ?? {};
  const changed = applied(node, changedState(stateOf(node), { gpus: 0 }, now));
  const { annotations } = changed["metadata"] as { annotations: Record<string, string> };
  expect(JSON.parse(annotations["eks-gpu-lab/capacity"] ?? "")).toEqual({
    ...{ cpu: "4", memory: "16Gi", pods: "58", "nvidia.com/gpu": "0" },
  });
  expect(changed["status"]).toMatchObject({
    capacity: { "nvidia.com/gpu": "0" },
    allocatable: { "nvidia.com/gpu": "0" },
  });
});

test("the GPUs of a node with a kubelet are left to the kubelet", () => {
  const node = nodes["node with a kubelet"] ?? {};
  const before = stateOf(node);
  const later = mergePatch(node, { status: { allocatable: { "nvidia.com/gpu": "0" } } });
  expect(before.gpus).toBeUndefined();
  expect(patchesTo(before, later)).toEqual([]);
});

describe("what Kubernetes sets itself is not undone", () => {
  test("its taints", () => {
    const node = fakeNode("a");
    const before = stateOf(node);
    const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
    const [own] = (node["spec"] as { taints: object[] }).taints;
    const extra = { key: "team", value: "research", effect: "NoSchedule" };
    const now = mergePatch(node, { spec: { taints: [cordon, own, extra] } });
    expect(patchesTo(before, now)).toEqual([{ body: { spec: { taints: [cordon, own] } } }]);
  });

  test("the times of a condition", () => {
    const node = nodes["node with a health condition"] ?? {};
    const renewed = { ...healthy, lastHeartbeatTime: now };
    const later = mergePatch(node, { status: { conditions: [{ type: "Ready", status: "True" }, renewed] } });
    expect(patchesTo(stateOf(node), later)).toEqual([]);
  });
});

describe("the record in the annotation", () => {
  test("is read as it was written", () => {
    for (const node of Object.values(nodes)) {
      const before = stateOf(node);
      const marked = mergePatch(node, { metadata: { annotations: { "eks-gpu-lab/drill": recordOf(7, before) } } });
      expect(recordedState(marked)).toEqual(before);
    }
  });

  test.each([
    "",
    "7",
    "{",
    '{"seed":7}',
    '{"seed":7,"before":{}}',
    '{"seed":7,"before":{"unschedulable":false,"taints":[1]}}',
  ])("is not read from %s", (text) => {
    expect(recordedState(fakeNode("a", { metadata: { annotations: { "eks-gpu-lab/drill": text } } }))).toBeUndefined();
  });

  test("has the same parts for every change, so that it tells nothing", () => {
    const [one, ...others] = changes.map(() => Object.keys(stateOf(fakeNode("a"))));
    for (const other of others) expect(other).toEqual(one);
  });
});

test.each([
  ["containerd://2.1.3", false],
  ["cri-o://1.35.0", false],
  ["kwok-v0.8.0", true],
  ["", true],
])("a node with the runtime %s is fake: %s", (containerRuntimeVersion, expected) => {
  expect(isFakeNode(fakeNode("a", { status: { nodeInfo: { containerRuntimeVersion } } }))).toBe(expected);
  expect(isFakeNode(fakeNode("a", { status: { nodeInfo: null } }))).toBe(true);
});
