import { describe, expect, test } from "vitest";
import type { Report } from "../../triage/triage";
import * as clusters from "./support/clusters";
import { changed, ids, reportOn } from "./support/clusters";
import { ago, clusterPolicy, conditions, deployment, event, gpuNode, hour, minute, node, pod } from "./support/objects";

const plugin = "nvidia-device-plugin-daemonset";
const silent = conditions({ Ready: { status: "Unknown", reason: "NodeStatusUnknown", lastTransitionTime: ago(hour) } });
const xid79 = conditions({ AcceleratedHardwareReady: { status: "False", reason: "NvidiaXID79Error" } });

/** Who accounts for what: each consequence with its cause, each cause with its subject. */
function reported({ conclusions }: Report) {
  const problems = conclusions.filter(({ level }) => level === "problem");
  return {
    causes: problems.filter(({ because }) => because === undefined).map(({ id, subject }) => `${id}: ${subject}`),
    consequences: problems
      .filter(({ because }) => because !== undefined)
      .map(({ id, subject, because }) => `${id}: ${subject} <- ${because}`),
  };
}

/** Both GPU nodes offer nothing, while the device plugin runs on each. */
const empty = { "ip-gpu-a": gpuNode("ip-gpu-a", { gpus: "0" }), "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: "0" }) };

describe("a cause explains only its own nodes and pods", () => {
  test("a system node that is down does not explain missing GPUs on other nodes", () => {
    const report = reportOn(changed({ ...empty, "ip-sys-1": node("ip-sys-1", { conditions: silent }) }));
    expect(reported(report)).toEqual({
      causes: [
        "node-not-ready: node ip-sys-1",
        `device-plugin-without-gpus: pod gpu-operator/${plugin}-a`,
        `device-plugin-without-gpus: pod gpu-operator/${plugin}-b`,
      ],
      consequences: ["gpu-allocatable-zero: nodes ip-gpu-a, ip-gpu-b <- device-plugin-without-gpus"],
    });
  });

  test("two nodes with 0 GPUs have different causes", () => {
    const report = reportOn(
      changed({ ...empty, "ip-gpu-a": gpuNode("ip-gpu-a", { gpus: "0", conditions: silent }), [`${plugin}-a`]: null }),
    );
    expect(reported(report)).toEqual({
      causes: ["node-not-ready: node ip-gpu-a", `device-plugin-without-gpus: pod gpu-operator/${plugin}-b`],
      consequences: [
        "gpu-allocatable-zero: node ip-gpu-a <- node-not-ready",
        "gpu-allocatable-zero: node ip-gpu-b <- device-plugin-without-gpus",
      ],
    });
  });

  test("a new node that advertises 0 explains why a pod waits: its plugin was registered", () => {
    const young = { gpus: "0", age: 2 * minute };
    const nodes = { "ip-gpu-a": gpuNode("ip-gpu-a", young), "ip-gpu-b": gpuNode("ip-gpu-b", young) };
    const found = reported(reportOn([...changed(nodes), clusters.waiting, clusters.refusal]));
    expect(found.causes.filter((cause) => cause.startsWith("insufficient-gpu"))).toEqual([]);
    expect(found.consequences.some((one) => one.startsWith("insufficient-gpu: pod gpu-lab/gpu-probe <- "))).toBe(true);
  });

  test("an unhealthy GPU does not explain why another node is cordoned", () => {
    const report = reportOn(
      changed({
        "ip-gpu-a": gpuNode("ip-gpu-a", { conditions: xid79 }),
        "ip-gpu-b": gpuNode("ip-gpu-b", { unschedulable: true }),
      }),
    );
    expect(reported(report)).toEqual({
      causes: ["accelerated-hardware-not-ready: node ip-gpu-a", "node-cordoned: node ip-gpu-b"],
      consequences: [],
    });
  });

  test("the log of a plugin explains its own node only", () => {
    const logs = [
      { namespace: "gpu-operator", pod: `${plugin}-a`, lines: ["No devices found. Waiting indefinitely."] },
    ];
    const report = reportOn(changed({ ...empty, "ip-gpu-a": gpuNode("ip-gpu-a", { gpus: null }) }), { logs });
    expect(reported(report)).toEqual({
      causes: [
        `device-plugin-without-gpus: pod gpu-operator/${plugin}-b`,
        `plugin-finds-no-devices: pod gpu-operator/${plugin}-a`,
      ],
      consequences: [
        "gpu-allocatable-zero: node ip-gpu-b <- device-plugin-without-gpus",
        "gpu-allocatable-missing: node ip-gpu-a <- plugin-finds-no-devices",
        `device-plugin-without-gpus: pod gpu-operator/${plugin}-a <- plugin-finds-no-devices`,
      ],
    });
  });

  test("a missing GPU node does not affect a pod that requests no GPU", () => {
    const taints = [{ key: "team", value: "a", effect: "NoSchedule" }];
    const web = pod("web", {
      scheduler: "0/1 nodes are available: 1 node(s) had untolerated taint {team: a}.",
      spec: { nodeSelector: { "kubernetes.io/hostname": "ip-sys-1" } },
    });
    const report = reportOn([
      node("ip-sys-1", { taints }),
      clusterPolicy(),
      clusters.operator.deployment,
      clusters.waiting,
      clusters.refusal,
      web,
    ]);
    expect(reported(report)).toEqual({
      causes: ["untolerated-taint: pod gpu-lab/web", "no-gpu-nodes: cluster"],
      consequences: ["insufficient-gpu: pod gpu-lab/gpu-probe <- no-gpu-nodes"],
    });
  });

  test("an operator that is down does not explain a node where the plugin still runs", () => {
    const down = deployment("gpu-operator", { namespace: "gpu-operator", ready: 0 });
    const report = reportOn(changed({ "gpu-operator": down, "ip-gpu-b": gpuNode("ip-gpu-b", { gpus: "0" }) }));
    expect(reported(report)).toEqual({
      causes: [
        `device-plugin-without-gpus: pod gpu-operator/${plugin}-b`,
        "gpu-operator-not-ready: deployment gpu-operator/gpu-operator",
      ],
      consequences: ["gpu-allocatable-zero: node ip-gpu-b <- device-plugin-without-gpus"],
    });
  });

  test("the rollout of one Deployment does not explain the pod of another", () => {
    const stuck = "0/10 nodes are available: 10 Insufficient nvidia.com/gpu.";
    const other = pod("notebook", { gpus: 1, scheduler: stuck });
    const report = reportOn([...clusters.rollout, other]);
    expect(reported(report)).toEqual({
      causes: ["rollout-deadlock: pod gpu-lab/tracker-bbb-1", "gpus-in-use: pod gpu-lab/notebook"],
      consequences: [
        "insufficient-gpu: pod gpu-lab/tracker-bbb-1 <- rollout-deadlock",
        "insufficient-gpu: pod gpu-lab/notebook <- gpus-in-use",
      ],
    });
  });

  test("the journal of one node does not explain why another node is down", () => {
    const both = changed({
      "ip-gpu-a": gpuNode("ip-gpu-a", { conditions: silent }),
      "ip-gpu-b": gpuNode("ip-gpu-b", { conditions: silent }),
    });
    const journal = ["containerd: failed to get listener for main endpoint: is a directory"];
    const causes = ["node-not-ready: node ip-gpu-a", "node-not-ready: node ip-gpu-b"];
    const report = reported(reportOn(both, { journal }));
    expect(report.causes).toEqual([...causes, "containerd-socket-is-directory: the node of the journal"]);
    const known = reported(reportOn(both, { journal, subject: { kind: "node", name: "ip-gpu-a" } }));
    expect(known).toMatchObject({
      causes: ["containerd-socket-is-directory: node ip-gpu-a"],
      consequences: ["node-not-ready: node ip-gpu-a <- containerd-socket-is-directory"],
    });
  });
});

describe("several causes explain one conclusion", () => {
  const down = { "ip-gpu-a": gpuNode("ip-gpu-a", { gpus: "0", conditions: silent }), [`${plugin}-a`]: null };
  const waits = [clusters.waiting, clusters.refusal];

  test("a pod names the causes of all nodes that it could use", () => {
    const report = reportOn([...changed({ ...empty, ...down, trainer: null }), ...waits]);
    const found = report.conclusions.find(({ id }) => id === "insufficient-gpu");
    expect(found?.because).toBe("node-not-ready");
    expect(found?.causes).toEqual([
      { id: "node-not-ready", subject: "node ip-gpu-a" },
      { id: "device-plugin-without-gpus", subject: `pod gpu-operator/${plugin}-b` },
    ]);
  });

  test("a cause on one of two nodes does not explain a pod that does not fit the other node either", () => {
    const said = "0/4 nodes are available: 4 Insufficient nvidia.com/gpu.";
    const report = reportOn([...changed({ ...down, trainer: null }), pod("p", { gpus: 4, scheduler: said })]);
    expect(reported(report)).toMatchObject({
      causes: ["insufficient-gpu: pod gpu-lab/p", "node-not-ready: node ip-gpu-a"],
    });
  });

  test("a pod waits for the GPUs in use on a healthy node because of the fault of the other node", () => {
    const taken = pod("notebook", { node: "ip-gpu-b", gpus: 1 });
    const report = reportOn([...changed({ ...down, trainer: null }), taken, ...waits]);
    expect(reported(report)).toEqual({
      causes: ["node-not-ready: node ip-gpu-a"],
      consequences: [
        "insufficient-gpu: pod gpu-lab/gpu-probe <- gpus-in-use",
        "gpus-in-use: pod gpu-lab/gpu-probe <- node-not-ready",
        "gpu-allocatable-zero: node ip-gpu-a <- node-not-ready",
      ],
    });
    const held = pod("other", { node: "ip-gpu-a", gpus: 1 });
    expect(reported(reportOn([...changed({ ...down, trainer: null }), taken, held, ...waits])).causes).toEqual([
      "gpus-in-use: pod gpu-lab/gpu-probe",
      "node-not-ready: node ip-gpu-a",
    ]);
  });
});

test("a conclusion lists its nodes and pods", () => {
  const { conclusions } = reportOn(clusters.pluginOff);
  const about = Object.fromEntries(conclusions.map(({ id, nodes, pods }) => [id, { nodes, pods }]));
  expect(about).toEqual({
    "device-plugin-disabled": { nodes: ["ip-gpu-a", "ip-gpu-b"], pods: [] },
    "device-plugin-missing": { nodes: ["ip-gpu-a", "ip-gpu-b"], pods: [] },
    "gpu-allocatable-zero": { nodes: ["ip-gpu-a", "ip-gpu-b"], pods: [] },
    "insufficient-gpu": { nodes: ["ip-gpu-a", "ip-gpu-b"], pods: ["gpu-lab/gpu-probe"] },
  });
});

test("pods need not tolerate the taint of a node that is down", () => {
  const unreachable = { key: "node.kubernetes.io/unreachable", effect: "NoSchedule" };
  const said =
    "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }, 2 Insufficient nvidia.com/gpu.";
  const lost = gpuNode("ip-gpu-a", { conditions: silent, taints: [unreachable] });
  const report = reportOn([
    ...changed({ "ip-gpu-a": lost, "ip-gpu-b": null, [`${plugin}-a`]: null, [`${plugin}-b`]: null, trainer: null }),
    pod("p", { gpus: 1, scheduler: said }),
    event(["Pod", "p"], "FailedScheduling", said, { lastTimestamp: ago(minute) }),
  ]);
  expect(ids(report).causes).toEqual(["node-not-ready"]);
  expect(JSON.stringify(report.conclusions)).not.toContain("Add to the pod's spec: tolerations");
});
