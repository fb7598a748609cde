import { describe, expect, test } from "vitest";
import * as clusters from "../support/clusters";
import { changed, conclusion, ids, reportOn } from "../support/clusters";
import { ago, conditions, gpuNode, gpuTaint, hour, minute, pod } from "../support/objects";

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const unregistered = { key: "karpenter.sh/unregistered", effect: "NoExecute" };
const subject = { kind: "pod", name: "p", namespace: "gpu-lab" };

interface Joining {
  readonly age?: number;
  readonly since?: number;
  readonly taints?: readonly Record<string, string>[];
}

/** A GPU node whose kubelet has registered, and that waits for its network plugin. */
function joining({ age = minute, since = age, taints = [gpuTaint, notReady] }: Joining = {}) {
  const ready = { status: "False", reason: "KubeletNotReady", message: "cni plugin not initialized" };
  return gpuNode("ip-gpu-c", {
    gpus: null,
    age,
    taints,
    conditions: conditions({ Ready: { ...ready, lastTransitionTime: ago(since) } }),
  });
}

const started = gpuNode("ip-gpu-c", { gpus: null, age: 3 * minute });
/** Nobody has a GPU to give. */
const full = changed({
  "ip-gpu-b": null,
  "nvidia-device-plugin-daemonset-b": null,
  "nvidia-device-plugin-daemonset": {
    ...clusters.operator.plugin,
    status: { desiredNumberScheduled: 1, numberReady: 1 },
  },
});
const p = (message: string, fields: Parameters<typeof pod>[1] = {}) =>
  pod("p", { gpus: 1, scheduler: `0/4 nodes are available: ${message}.`, ...fields });
const noRoom = "1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }, 3 Insufficient nvidia.com/gpu";

describe("a node that joins", () => {
  test("has not been Ready yet: worth knowing, and no fault", () => {
    const report = reportOn([...clusters.healthy, joining()]);
    expect(ids(report)).toEqual({
      causes: [],
      consequences: [],
      notices: ["gpu-allocatable-missing", "node-not-ready"],
    });
    expect(conclusion(report, "node-not-ready").what).toBe(
      "The node is 60s old and has not been Ready yet: its kubelet and its network plugin still start.",
    );
  });

  test.for([
    ["without a condition Ready", conditions().slice(1)],
    [
      "of which the kubelet has said nothing",
      conditions({ Ready: { status: "Unknown", reason: "NodeStatusNeverUpdated" } }),
    ],
  ] as const)("%s, too", ([, given]) => {
    const report = reportOn([...clusters.healthy, gpuNode("ip-gpu-c", { gpus: null, age: minute, conditions: given })]);
    expect(ids(report).causes).toEqual([]);
  });

  test("a new node that was Ready and is no more broke", () => {
    expect(ids(reportOn([...clusters.healthy, joining({ age: 8 * minute, since: 2 * minute })])).causes).toEqual([
      "node-not-ready",
    ]);
  });

  test("ten minutes are enough", () => {
    expect(ids(reportOn([...clusters.healthy, joining({ age: 10 * minute })])).causes).toContain("node-not-ready");
  });
});

describe("a pod that waits for a node which is on its way", () => {
  test.for([
    ["joins", joining(), noRoom],
    ["is Ready, and its plugin is not", started, "4 Insufficient nvidia.com/gpu"],
    [
      "is not registered with Karpenter yet",
      gpuNode("ip-gpu-c", { gpus: null, age: minute, taints: [gpuTaint, unregistered] }),
      "1 node(s) had untolerated taint {karpenter.sh/unregistered: }, 3 Insufficient nvidia.com/gpu",
    ],
  ] as const)("%s: no fault; who asks about it is told", ([, node, message]) => {
    const survey = reportOn([...full, node, p(message)]);
    expect(ids(survey).causes).toEqual([]);
    expect(conclusion(survey, "insufficient-gpu")).toMatchObject({ level: "notice" });
    const asked = reportOn([...full, node, p(message)], { subject });
    expect(ids(asked).causes).toEqual(["insufficient-gpu"]);
    expect(conclusion(asked, "insufficient-gpu").what).toMatch(/On the way for it: ip-gpu-c \(\w+ old\)\./);
  });

  test("and asks for no GPU", () => {
    const message = "4 node(s) had untolerated taint {node.kubernetes.io/not-ready: }";
    const web = p(message, { gpus: 0, tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }] });
    expect(ids(reportOn([...full, joining(), web])).causes).toEqual([]);
    const asked = conclusion(reportOn([...full, joining(), web], { subject }), "not-schedulable");
    expect(asked).toMatchObject({ level: "problem" });
    expect(asked.what).toContain("On the way for it");
  });

  test.for([
    ["too small for it", joining(), p(noRoom, { gpus: 4 })],
    ["kept off by its own selector", joining(), p(noRoom, { spec: { ...selecting(), containers: gpus() } })],
    ["broken since", joining({ age: 8 * minute, since: 2 * minute }), p(noRoom)],
    ["no longer new", joining({ age: hour }), p(noRoom)],
  ] as const)("none that is %s", ([, node, waits]) => {
    expect(JSON.stringify(reportOn([...full, node, waits], { subject }))).not.toContain("On the way for it");
  });

  test("the plugin is switched off: then that is why, on a new node as well", () => {
    const items = [...clusters.pluginOff.filter(({ kind }) => kind !== "Node"), ...clusters.systemNodes, started];
    const asked = { kind: "pod", name: "gpu-probe", namespace: "gpu-lab" };
    expect(ids(reportOn(items, { subject: asked }))).toMatchObject({
      causes: ["device-plugin-disabled"],
      consequences: ["insufficient-gpu"],
    });
  });
});

test.for([
  "karpenter.sh/unregistered",
  "karpenter.sh/disrupted",
  "ebs.csi.aws.com/agent-not-ready",
  "node.cilium.io/agent-not-ready",
])("nobody is told to tolerate %s: it tells how the node stands", (key) => {
  const old = gpuNode("ip-gpu-a", { taints: [gpuTaint, { key, effect: "NoExecute" }] });
  const items = changed({ "ip-gpu-a": old, "ip-gpu-b": null, "nvidia-device-plugin-daemonset-b": null });
  const message = `1 node(s) had untolerated taint {${key}: }, 2 Insufficient nvidia.com/gpu`;
  const report = reportOn([...items, p(message)], { subject });
  expect(JSON.stringify(report)).not.toContain("tolerations: [");
  expect(conclusion(report, "insufficient-gpu").what).toContain(`ip-gpu-a (${key})`);
});

function selecting() {
  return { nodeSelector: { "kubernetes.io/hostname": "ip-gpu-a" } };
}

function gpus() {
  return [{ name: "main", resources: { limits: { "nvidia.com/gpu": "1" } } }];
}
