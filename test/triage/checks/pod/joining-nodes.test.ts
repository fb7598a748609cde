import { describe, expect, test } from "vitest";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, reportOn } from "../../support/clusters";
import {
  ago,
  clusterPolicy,
  conditions,
  deployment,
  gpuNode,
  gpuTaint,
  hour,
  minute,
  pod,
} from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const unregistered = { key: "karpenter.sh/unregistered", effect: "NoExecute" };
const subject = { kind: "pod", name: "p", namespace: "gpu-lab" };
/** What triage says of a pod that waits for a node. */
const areJoining = "These nodes are joining";

type Items = Parameters<typeof reportOn>[0];

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
  test("a node that has not been Ready yet is a notice", () => {
    const report = reportOn([...clusters.healthy, joining()]);
    expect(ids(report)).toEqual({
      causes: [],
      consequences: [],
      notices: ["gpu-allocatable-missing", "node-not-ready"],
    });
    wording.add(conclusion(report, "node-not-ready"));
    wording.add(conclusion(report, "gpu-allocatable-missing"));
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

  test("a new node that was Ready and is no longer has failed", () => {
    expect(ids(reportOn([...clusters.healthy, joining({ age: 8 * minute, since: 2 * minute })])).causes).toEqual([
      "node-not-ready",
    ]);
  });

  test("a node has ten minutes to become Ready", () => {
    expect(ids(reportOn([...clusters.healthy, joining({ age: 10 * minute })])).causes).toContain("node-not-ready");
  });
});

describe("a pod that waits for a joining node", () => {
  test.for([
    ["joins", joining(), noRoom],
    ["is Ready, and its plugin is not", started, "4 Insufficient nvidia.com/gpu"],
    [
      "is not registered with Karpenter yet",
      gpuNode("ip-gpu-c", { gpus: null, age: minute, taints: [gpuTaint, unregistered] }),
      "1 node(s) had untolerated taint {karpenter.sh/unregistered: }, 3 Insufficient nvidia.com/gpu",
    ],
  ] as const)("%s: a notice, or a problem if the user asks about the pod", ([, node, message]) => {
    const survey = reportOn([...full, node, p(message)]);
    expect(ids(survey).causes).toEqual([]);
    expect(conclusion(survey, "insufficient-gpu")).toMatchObject({ level: "notice" });
    const asked = reportOn([...full, node, p(message)], { subject });
    expect(ids(asked).causes).toEqual(["insufficient-gpu"]);
    expect(conclusion(asked, "insufficient-gpu").what).toMatch(new RegExp(`${areJoining}: ip-gpu-c \\(\\w+ old\\)\\.`));
  });

  test("a pod that requests no GPU", () => {
    const message = "4 node(s) had untolerated taint {node.kubernetes.io/not-ready: }";
    const web = p(message, { gpus: 0, tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }] });
    expect(ids(reportOn([...full, joining(), web])).causes).toEqual([]);
    const asked = conclusion(reportOn([...full, joining(), web], { subject }), "not-schedulable");
    expect(asked).toMatchObject({ level: "problem" });
    wording.add(asked);
    expect(asked.what).toContain(areJoining);
  });

  test.for([
    ["too small for it", joining(), p(noRoom, { gpus: 4 })],
    ["kept off by its own selector", joining(), p(noRoom, { spec: { ...selecting(), containers: gpus() } })],
    ["broken since", joining({ age: 8 * minute, since: 2 * minute }), p(noRoom)],
    ["no longer new", joining({ age: hour }), p(noRoom)],
  ] as const)("not for a node that is %s", ([, node, waits]) => {
    expect(JSON.stringify(reportOn([...full, node, waits], { subject }))).not.toContain(areJoining);
  });

  test("a disabled plugin is the cause on a new node, too", () => {
    const items = [...clusters.pluginOff.filter(({ kind }) => kind !== "Node"), ...clusters.systemNodes, started];
    const asked = { kind: "pod", name: "gpu-probe", namespace: "gpu-lab" };
    expect(ids(reportOn(items, { subject: asked }))).toMatchObject({
      causes: ["device-plugin-disabled"],
      consequences: ["insufficient-gpu"],
    });
  });
});

describe("a pod does not wait for a new node without a device plugin", () => {
  const noPlugin = { "nvidia-device-plugin-daemonset": null, "nvidia-device-plugin-daemonset-a": null };
  const away = {
    ...noPlugin,
    "nvidia-device-plugin-daemonset-b": null,
    "ip-gpu-a": null,
    "ip-gpu-b": null,
    trainer: null,
  };
  const none = changed(away);
  const off = clusterPolicy({ devicePlugin: { enabled: false } });
  const fresh = p("4 Insufficient nvidia.com/gpu");

  test.for([
    ["the plugin is switched off", changed({ ...away, "cluster-policy": off }), "device-plugin-disabled"],
    [
      "there is neither an operator nor a plugin",
      changed({ ...away, "cluster-policy": null, "gpu-operator": null }),
      "gpu-operator-not-installed",
    ],
    [
      "the operator is down, and there is no plugin",
      changed({ ...away, "gpu-operator": deployment("gpu-operator", { namespace: "gpu-operator", ready: 0 }) }),
      "gpu-operator-not-ready",
    ],
  ] as const)("%s", ([, items, cause]) => {
    for (const node of [started, joining()]) {
      for (const rest of [{}, { subject }]) {
        const report = reportOn([...items, node, fresh], rest);
        expect(ids(report)).toMatchObject({ causes: [cause], consequences: ["insufficient-gpu"] });
        expect(JSON.stringify(report)).not.toContain(areJoining);
        expect(JSON.stringify(report)).not.toContain("take some minutes to start");
      }
    }
  });

  test.for([
    ["the operator makes its DaemonSets with the first GPU node", none, {}],
    ["DaemonSets and policies could not be read", clusters.systemNodes, { read: ["nodes", "pods", "events"] }],
    ["a plugin without the operator", [...clusters.systemNodes, clusters.operator.plugin], {}],
  ] as const)("unless one is expected: %s", ([, items, rest]) => {
    const report = reportOn([...items, started, fresh], rest);
    expect(ids(report).causes).toEqual([]);
    expect(conclusion(report, "insufficient-gpu").what).toContain(areJoining);
  });
});

describe("a ClusterPolicy that is not ready", () => {
  const status = (since?: number) => ({
    state: "notReady",
    conditions: [
      {
        type: "Ready",
        status: "False",
        reason: "OperandNotReady",
        ...(since !== undefined && { lastTransitionTime: ago(since) }),
      },
    ],
  });
  const policyOf = (nodes: Items, since?: number) =>
    ids(reportOn([...changed({ "cluster-policy": clusterPolicy({}, status(since)) }), ...nodes]));

  test.for([2 * minute, undefined])("since a new node came: no fault", (since) => {
    const report = reportOn([...changed({ "cluster-policy": clusterPolicy({}, status(since)) }), started]);
    expect(ids(report)).toMatchObject({
      causes: [],
      notices: ["gpu-allocatable-missing", "cluster-policy-not-ready"],
    });
    wording.add(conclusion(report, "cluster-policy-not-ready"));
    expect(conclusion(report, "cluster-policy-not-ready").what).toContain("ip-gpu-c.");
  });

  test.for([
    ["since before it came", [started], 10 * minute],
    ["on nodes that are not new", [], 2 * minute],
    ["where an older node offers none", [started, gpuNode("ip-gpu-d", { gpus: "0" })], 2 * minute],
    ["where the new node has had its ten minutes", [gpuNode("ip-gpu-c", { gpus: null, age: 10 * minute })], 2 * minute],
  ] as const)("%s: a fault", ([, nodes, since]) => {
    const { causes, consequences } = policyOf(nodes, since);
    expect([...causes, ...consequences]).toContain("cluster-policy-not-ready");
  });
});

test.for([
  "karpenter.sh/unregistered",
  "karpenter.sh/disrupted",
  "ebs.csi.aws.com/agent-not-ready",
  "node.cilium.io/agent-not-ready",
])("the advice is not to tolerate %s: the taint shows the state of the node", (key) => {
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

test("wording", () => expect(String(wording)).toMatchSnapshot());
