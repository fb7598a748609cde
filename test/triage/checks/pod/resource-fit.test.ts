import { describe, expect, test } from "vitest";
import * as clusters from "../../support/clusters";
import { conclusion, ids, pluginPod, reportOn } from "../../support/clusters";
import { clusterPolicy, conditions, gpuNode, gpuTaint, hour, minute, node, pod } from "../../support/objects";

/** The pods of NcclTest ask for more memory than a t3.medium has: its refusals name the system nodes' memory each time. */
const requests = { cpu: "1", memory: "6Gi" };
const small = ["ip-sys-1", "ip-sys-2"].map((name) => node(name, { memory: "3388360Ki" }));
const subject = { kind: "pod", name: "all-reduce-1", namespace: "gpu-lab" };

interface Fields {
  readonly node?: string;
  readonly requests?: Record<string, string>;
}

function allReduce(name: string, said: string, fields: Fields = {}) {
  const limits = { memory: "6Gi", "nvidia.com/gpu": "1" };
  const resources = { limits, requests: { ...requests, ...fields.requests, "nvidia.com/gpu": "1" } };
  const raw = pod(name, {
    gpus: 1,
    owner: ["Job", "all-reduce"],
    ...(fields.node === undefined
      ? { scheduler: `${said} preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.` }
      : { node: fields.node }),
  });
  return { ...raw, spec: { ...(raw["spec"] as object), containers: [{ name: "main", resources }] } };
}

type Items = Parameters<typeof reportOn>[0];

/** A cluster with such system nodes, the operator, and these GPU nodes. */
function cluster(gpuNodes: Items, policy = clusterPolicy()): Items {
  const names = gpuNodes.map(({ metadata }) => (metadata as { name: string }).name);
  const plugin = {
    ...clusters.operator.plugin,
    status: { desiredNumberScheduled: names.length, numberReady: names.length },
  };
  const off = (policy["spec"] as { devicePlugin: { enabled: boolean } }).devicePlugin.enabled ? [plugin] : [];
  const pods = off.length > 0 ? names.map((name) => pluginPod(name)) : [];
  return [...small, ...gpuNodes, ...off, ...pods, clusters.operator.deployment, policy];
}

/** What stands for itself where this is all the scheduler has said; asked about the pod, and about the cluster. */
function causes(items: Items, said: string, fields: Fields = {}) {
  const all = [...items, allReduce("all-reduce-1", said, fields)];
  return { asked: ids(reportOn(all, { subject })).causes, survey: ids(reportOn(all)).causes };
}

const both = [gpuNode("ip-gpu-a"), gpuNode("ip-gpu-b")];
const holder = (name: string, on: string) => pod(name, { node: on, gpus: 1 });
const started = gpuNode("ip-gpu-a", { gpus: null, age: 3 * minute });
const joining = gpuNode("ip-gpu-a", {
  gpus: null,
  age: minute,
  taints: [gpuTaint, { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }],
  conditions: conditions({ Ready: { status: "False", reason: "KubeletNotReady", lastTransitionTime: undefined } }),
});

describe("system nodes that are too small for a GPU pod are not a reason", () => {
  test("before a session there is no GPU node", () => {
    const said = "0/2 nodes are available: 2 Insufficient memory, 2 Insufficient nvidia.com/gpu.";
    const all = ["no-gpu-nodes"];
    expect(causes(clusters.atRest.filter(({ kind }) => kind !== "Node").concat(small), said)).toEqual({
      asked: all,
      survey: all,
    });
  });

  test.for([
    ["has joined", started, "0/3 nodes are available: 2 Insufficient memory, 3 Insufficient nvidia.com/gpu."],
    [
      "joins",
      joining,
      "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }, 2 Insufficient memory, 2 Insufficient nvidia.com/gpu.",
    ],
  ] as const)("a node %s: no fault", ([, fresh, said]) => {
    expect(causes(cluster([fresh]), said)).toEqual({ asked: ["insufficient-gpu"], survey: [] });
  });

  test("other pods hold the GPUs", () => {
    const said = "0/4 nodes are available: 2 Insufficient memory, 4 Insufficient nvidia.com/gpu.";
    const taken = [...cluster(both), holder("h1", "ip-gpu-a"), holder("h2", "ip-gpu-b")];
    expect(causes(taken, said)).toEqual({ asked: ["gpus-in-use"], survey: ["gpus-in-use"] });
  });

  test("the device plugin is off, and the pod asks for more CPU than a system node has left", () => {
    const off = clusterPolicy({ devicePlugin: { enabled: false } });
    const said = "0/3 nodes are available: 2 Insufficient cpu, 2 Insufficient memory, 3 Insufficient nvidia.com/gpu.";
    const found = causes(cluster([gpuNode("ip-gpu-a", { gpus: "0" })], off), said, { requests: { cpu: "3" } });
    expect(found).toEqual({ asked: ["device-plugin-disabled"], survey: ["device-plugin-disabled"] });
  });

  test("its anti-affinity excludes the only node with free GPUs", () => {
    const said =
      "0/3 nodes are available: 1 node(s) didn't match pod anti-affinity rules, 2 Insufficient memory, 2 Insufficient nvidia.com/gpu.";
    const one = cluster([gpuNode("ip-gpu-a", { type: "g5.12xlarge", gpus: "4" })]);
    const items = [...one, allReduce("all-reduce-0", "", { node: "ip-gpu-a" })];
    expect(causes(items, said)).toEqual({ asked: ["not-schedulable"], survey: ["not-schedulable"] });
    const report = reportOn([...items, allReduce("all-reduce-1", said)], { subject });
    expect(conclusion(report, "not-schedulable").what).not.toContain("memory");
  });

  test("the GPU has just become free", () => {
    const said = "0/3 nodes are available: 2 Insufficient memory, 3 Insufficient nvidia.com/gpu.";
    const items = [...cluster([gpuNode("ip-gpu-a")]), allReduce("all-reduce-1", said)];
    const report = reportOn(items, { subject });
    expect(ids(report).causes).toEqual(["insufficient-gpu"]);
    expect(conclusion(report, "insufficient-gpu").what).toContain("has enough free GPUs now");
  });
});

describe("CPU and memory of a node that has the GPUs are a reason", () => {
  /** Another pod, without a GPU, that takes this much of the node. */
  const eater = (on: string, eaten: Record<string, string>) => {
    const raw = pod(`eats-on-${on}`, { node: on });
    return {
      ...raw,
      spec: { ...(raw["spec"] as object), containers: [{ name: "main", resources: { requests: eaten } }] },
    };
  };

  test("names the resource that this node lacks, not those that system nodes lack", () => {
    const said = "0/4 nodes are available: 1 Insufficient cpu, 2 Insufficient memory, 3 Insufficient nvidia.com/gpu.";
    const items = [...cluster(both), holder("h1", "ip-gpu-a"), eater("ip-gpu-b", { cpu: "3500m" })];
    const report = reportOn([...items, allReduce("all-reduce-1", said)], { subject });
    expect(ids(report).causes).toEqual(["insufficient-resource"]);
    expect(conclusion(report, "insufficient-resource").what).toMatch(/^1 node has too little cpu/);
  });

  test("the count excludes system nodes", () => {
    const said = "0/4 nodes are available: 3 Insufficient memory, 3 Insufficient nvidia.com/gpu.";
    const items = [...cluster(both), holder("h1", "ip-gpu-a"), eater("ip-gpu-b", { memory: "10Gi" })];
    const report = reportOn([...items, allReduce("all-reduce-1", said)], { subject });
    expect(ids(report).causes).toEqual(["insufficient-resource"]);
    expect(conclusion(report, "insufficient-resource").what).toMatch(/^1 node has too little memory/);
  });

  test.for([
    ["its machine is too small", cluster([gpuNode("ip-gpu-a")]), { memory: "32Gi" }],
    ["other pods", [...cluster([gpuNode("ip-gpu-a")]), eater("ip-gpu-a", { memory: "10Gi" })], { memory: "6Gi" }],
  ] as const)("the pod would not fit even with a free GPU: %s", ([, items, asked]) => {
    const said = "0/3 nodes are available: 3 Insufficient memory, 3 Insufficient nvidia.com/gpu.";
    const found = causes([...items, holder("h1", "ip-gpu-a")], said, { requests: asked });
    const all = ["insufficient-resource", "gpus-in-use"];
    expect(found.asked.toSorted()).toEqual(all.toSorted());
    expect(found.survey).toEqual(found.asked);
  });

  test("no GPU node advertises another resource that the pod requests", () => {
    const said = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu, 3 Insufficient vpc.amazonaws.com/efa.";
    const taken = (age: number) => [...cluster([gpuNode("ip-gpu-a", { age })]), holder("h1", "ip-gpu-a")];
    expect(causes(taken(hour), said).asked).toEqual(["resource-not-offered"]);
    // A plugin of its own may be about to offer it.
    expect(causes(taken(5 * minute), said).asked).not.toContain("resource-not-offered");
  });

  test("the nodes could not be read: the message of the scheduler decides", () => {
    const read = ["pods", "events"];
    const of = (said: string) => ids(reportOn([allReduce("all-reduce-1", said)], { subject, read })).causes;
    expect(of("0/3 nodes are available: 2 Insufficient memory, 3 Insufficient nvidia.com/gpu.")).toEqual([
      "insufficient-gpu",
    ]);
    expect(of("0/3 nodes are available: 1 Insufficient memory, 2 Insufficient nvidia.com/gpu.")).toContain(
      "insufficient-resource",
    );
  });
});
