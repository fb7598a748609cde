import { describe, expect, test } from "vitest";
import { Unreachable } from "../../../components/core/kubernetes-api/api";
import { choose, type ClusterFacts } from "../../../commands/drill/choose";
import { readFacts } from "../../../commands/drill/live/facts";
import { createNamespace, inject } from "../../../commands/drill/live/inject";
import { findTraces, refuseTraces, restore, type Target } from "../../../commands/drill/live/restore";
import { scenarios } from "../../../commands/drill/scenarios/scenarios";
import { FakeCluster, fakeNode, type Raw } from "./support/fake-cluster";

const nodes = "/api/v1/nodes";
const context = "kwok";

function clusterWith(...items: readonly Raw[]): FakeCluster {
  const cluster = new FakeCluster();
  for (const item of items) cluster.add(nodes, item);
  return cluster;
}

/** The cluster without the versions of its objects. */
function stateOf({ objects }: FakeCluster): unknown {
  return [...objects].map(([path, { metadata, ...rest }]) => [path, { ...metadata, resourceVersion: "" }, rest]);
}

async function factsOf(cluster: FakeCluster): Promise<ClusterFacts> {
  return (await readFacts({ context, call: cluster.call })).facts;
}

/** Injects a scenario, and stops there, as a drill that is killed. */
async function killedIn(cluster: FakeCluster, id: string): Promise<Target | undefined> {
  const facts = await factsOf(cluster);
  const choice = choose(
    facts,
    7,
    scenarios.find((one) => one.id === id),
  );
  let target: Target | undefined;
  const { signal } = new AbortController();
  await createNamespace({ call: cluster.call, context }, 7);
  await inject(choice, { call: cluster.call, seed: 7, signal, onTarget: (found) => (target = found) });
  return target;
}

const ofOneNode = ["cordoned", "taint", "no-gpus", "unhealthy", "selector", "volume"];

describe("after a drill that was killed", () => {
  test.each(ofOneNode)("in %s, its traces are found, and everything is restored", async (id) => {
    const cluster = clusterWith(fakeNode("gpu-1"), fakeNode("gpu-2"));
    const before = stateOf(cluster);
    await killedIn(cluster, id);
    expect(stateOf(cluster)).not.toEqual(before);
    const traces = await findTraces(cluster.call);
    expect([traces.nodes.length, traces.seed]).toEqual([1, "7"]);
    expect(await restore({ context, call: cluster.call })).toEqual({ nodes: traces.nodes, leftovers: [] });
    expect(stateOf(cluster)).toEqual(before);
    expect(await findTraces(cluster.call)).toEqual({ nodes: [] });
  });

  test("a model server shows its symptom after its first restart, which leaves an earlier log", async () => {
    const cluster = clusterWith(
      fakeNode("mock-1", { status: { nodeInfo: { containerRuntimeVersion: "containerd://2.1" } } }),
    );
    const waiting = { waiting: { reason: "CrashLoopBackOff" } };
    const answers = [
      { restartCount: 0, state: { running: {} } },
      { restartCount: 0, state: waiting },
      { restartCount: 1, state: { running: {} } },
      { restartCount: 1, state: waiting },
    ];
    const seen: unknown[] = [];
    cluster.intercept = ({ path }) => {
      if (!path.includes("/pods?labelSelector=")) return undefined;
      const status = answers[seen.length];
      seen.push(status);
      return { ok: true, body: { items: [{ metadata: { name: "server" }, status: { containerStatuses: [status] } }] } };
    };
    await killedIn(cluster, "context");
    expect(seen).toEqual(answers);
    const created = cluster.requests.filter((request) => request.startsWith("POST"));
    expect(created.map((request) => request.split("/").at(-1))).toEqual(["namespaces", "configmaps", "pods"]);
    const traces = await findTraces(cluster.call);
    expect(await restore({ context, call: cluster.call })).toEqual({ nodes: traces.nodes, leftovers: [] });
  });

  test("a repair by the learner stays", async () => {
    const cluster = clusterWith(fakeNode("gpu-1"));
    const before = stateOf(cluster);
    await killedIn(cluster, "cordoned");
    await cluster.call({ method: "PATCH", path: `${nodes}/gpu-1`, body: { spec: { unschedulable: null } } });
    expect((await restore({ context, call: cluster.call })).leftovers).toEqual([]);
    expect(stateOf(cluster)).toEqual(before);
  });

  test("a node that is gone needs nothing", async () => {
    const cluster = clusterWith(fakeNode("gpu-1"));
    await killedIn(cluster, "cordoned");
    cluster.intercept = ({ method, path }) => {
      if (method === "GET" && path === `${nodes}/gpu-1`) cluster.objects.delete(path);
      return undefined;
    };
    expect((await restore({ context, call: cluster.call })).leftovers).toEqual([]);
  });

  test("a node that changes in between is read again", async () => {
    const cluster = clusterWith(fakeNode("gpu-1"));
    await killedIn(cluster, "taint");
    let conflicts = 0;
    cluster.intercept = ({ method, path }) => {
      if (method !== "PATCH" || path !== `${nodes}/gpu-1` || (conflicts += 1) > 2) return undefined;
      return { ok: false, status: 409, why: "the object has been modified" };
    };
    expect((await restore({ context, call: cluster.call })).leftovers).toEqual([]);
    expect(conflicts).toBeGreaterThan(2);
  });
});

describe("a stage that copies the annotation to the status", () => {
  test("does not undo the change of the GPUs, and restores them with the annotation", async () => {
    const cluster = clusterWith(fakeNode("gpu-1"));
    const before = stateOf(cluster);
    cluster.intercept = ({ method, path }) => {
      const node = cluster.get(`${nodes}/gpu-1`);
      const text = node?.metadata.annotations?.["eks-gpu-lab/capacity"] ?? "{}";
      const resources = JSON.parse(text) as Raw;
      if (method === "GET" && path === `${nodes}/gpu-1` && node) {
        node["status"] = { ...(node["status"] as Raw), capacity: resources, allocatable: resources };
      }
      return undefined;
    };
    await killedIn(cluster, "no-gpus");
    expect(cluster.get(`${nodes}/gpu-1`)?.["status"]).toMatchObject({ allocatable: { "nvidia.com/gpu": "0" } });
    expect((await restore({ context, call: cluster.call })).leftovers).toEqual([]);
    expect(stateOf(cluster)).toEqual(before);
  });
});

describe("what cannot be restored is reported with the commands that do it", () => {
  const kubectl = `kubectl --context ${context}`;
  const unmark = `${kubectl} annotate node gpu-1 eks-gpu-lab/drill-`;
  const deletion = `${kubectl} delete namespace gpu-drill`;

  test("the node, if it may not be patched; the rest is restored", async () => {
    const cluster = clusterWith(fakeNode("gpu-1"));
    await killedIn(cluster, "cordoned");
    cluster.intercept = ({ method, path }) =>
      method === "PATCH" && path === `${nodes}/gpu-1` ? { ok: false, status: 403, why: "forbidden" } : undefined;
    const { leftovers } = await restore({ context, call: cluster.call });
    expect(leftovers).toEqual([
      {
        object: "node/gpu-1",
        why: "it cannot be restored: PATCH /api/v1/nodes/gpu-1: forbidden (403).",
        commands: [
          `${kubectl} patch node gpu-1 --field-manager=pulumi-kubernetes --type=merge -p '{"spec":{"unschedulable":null}}'`,
          unmark,
        ],
      },
    ]);
    expect((await findTraces(cluster.call)).seed).toBeUndefined();
  });

  test("the namespace, if it may not be deleted; the node is restored", async () => {
    const cluster = clusterWith(fakeNode("gpu-1"));
    await killedIn(cluster, "taint");
    cluster.intercept = ({ method }) =>
      method === "DELETE" ? { ok: false, status: 403, why: "forbidden" } : undefined;
    const { leftovers, nodes: restored } = await restore({ context, call: cluster.call });
    expect(leftovers).toEqual([
      { object: "namespace/gpu-drill", why: "it cannot be deleted: forbidden.", commands: [deletion] },
    ]);
    expect(restored).toEqual(["gpu-1"]);
    expect((await findTraces(cluster.call)).nodes).toEqual([]);
  });

  test("everything, if the cluster no longer responds", async () => {
    const cluster = clusterWith(fakeNode("gpu-1"));
    const target = await killedIn(cluster, "no-gpus");
    const call = () => Promise.reject(new Unreachable("The API server cannot be reached.", ""));
    const { leftovers } = await restore({ context, call }, target);
    const resources = '{\\"cpu\\":\\"4\\",\\"memory\\":\\"16Gi\\",\\"pods\\":\\"58\\",\\"nvidia.com/gpu\\":\\"1\\"}';
    expect(leftovers.flatMap(({ commands }) => commands)).toEqual([
      `${kubectl} patch node gpu-1 --field-manager=pulumi-kubernetes --type=merge -p '{"metadata":{"annotations":{"eks-gpu-lab/capacity":"${resources}"}}}'`,
      `${kubectl} patch node gpu-1 --subresource=status --field-manager=pulumi-kubernetes --type=merge -p '{"status":{"capacity":{"nvidia.com/gpu":"1"},"allocatable":{"nvidia.com/gpu":"1"}}}'`,
      ...[unmark, deletion],
    ]);
    expect(leftovers[0]?.why).toBe("The API server cannot be reached.");
    expect((await restore({ context, call })).leftovers.map(({ object }) => object)).toEqual(["namespace/gpu-drill"]);
  });

  test("a node whose annotation has changed", async () => {
    const cluster = clusterWith(fakeNode("gpu-1", { metadata: { annotations: { "eks-gpu-lab/drill": "mine" } } }));
    const { leftovers } = await restore({ context, call: cluster.call });
    expect(leftovers).toMatchObject([{ object: "node/gpu-1", commands: [`${kubectl} describe node gpu-1`, unmark] }]);
  });
});

test("commands have the options that chose the cluster", async () => {
  const cluster = clusterWith(fakeNode("gpu-1"));
  await killedIn(cluster, "cordoned");
  const chosen = { context: "my lab", kubeconfig: "/tmp/it's/config", confirm: "my lab", call: cluster.call };
  const options = `--context 'my lab' --kubeconfig '/tmp/it'\\''s/config'`;
  await expect(refuseTraces(chosen)).rejects.toThrow(`npx eks-gpu-lab drill ${options} --confirm 'my lab' --restore`);
  cluster.intercept = ({ method }) => (method === "DELETE" ? { ok: false, status: 403, why: "forbidden" } : undefined);
  const { leftovers } = await restore(chosen);
  expect(leftovers[0]?.commands).toEqual([`kubectl ${options} delete namespace gpu-drill`]);
});

test("a namespace without the label of a drill stays", async () => {
  const cluster = clusterWith(fakeNode("gpu-1"));
  cluster.add("/api/v1/namespaces", { kind: "Namespace", metadata: { name: "gpu-drill" } });
  const before = stateOf(cluster);
  await expect(createNamespace({ call: cluster.call, context }, 7)).rejects.toThrow(
    /kubectl --context kwok delete namespace gpu-drill/,
  );
  expect(await restore({ context, call: cluster.call })).toEqual({ nodes: [], leftovers: [] });
  expect(stateOf(cluster)).toEqual(before);
});

describe("the GPU nodes that a drill can use", () => {
  const holder = {
    ...{ kind: "Pod", metadata: { name: "trainer", namespace: "team" } },
    spec: { nodeName: "gpu-1", containers: [{ name: "m", resources: { limits: { "nvidia.com/gpu": "1" } } }] },
    status: { phase: "Running" },
  };

  test.each([
    ["it is not Ready", { status: { conditions: [{ type: "Ready", status: "False" }] } }],
    ["it is cordoned", { spec: { unschedulable: true } }],
    ["it advertises no nvidia.com/gpu", { status: { allocatable: { "nvidia.com/gpu": "0" } } }],
    ["it has no label kubernetes.io/hostname", { metadata: { labels: { "kubernetes.io/hostname": null } } }],
    [
      "its GPU is unhealthy",
      {
        status: {
          conditions: [
            { type: "Ready", status: "True" },
            { type: "AcceleratedHardwareReady", status: "False" },
          ],
        },
      },
    ],
  ])("not: %s", async (why, changes) => {
    const facts = await factsOf(clusterWith(fakeNode("gpu-1", changes)));
    expect([facts.nodes, facts.unusable]).toEqual([[], [{ name: "gpu-1", why }]]);
  });

  test("not: all of its GPUs are in use", async () => {
    const cluster = clusterWith(fakeNode("gpu-1"));
    cluster.add("/api/v1/namespaces/team/pods", holder);
    expect((await factsOf(cluster)).unusable).toEqual([{ name: "gpu-1", why: "all of its nvidia.com/gpu are in use" }]);
  });

  test("with their free GPUs and permanent taints; nodes without GPUs count for the largest node only", async () => {
    const big = fakeNode("gpu-1", { status: { allocatable: { "nvidia.com/gpu": "4" } } });
    const starting = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
    const cluster = clusterWith(
      mergeTaint(big, starting),
      fakeNode("system", {
        metadata: { labels: { "nvidia.com/gpu.present": null } },
        spec: { taints: null },
        status: { capacity: { "nvidia.com/gpu": null }, allocatable: { "nvidia.com/gpu": null, cpu: "16" } },
      }),
    );
    cluster.add("/api/v1/namespaces/team/pods", holder);
    expect(await factsOf(cluster)).toEqual({
      nodes: [
        {
          ...{ name: "gpu-1", hostname: "gpu-1", freeGpus: 3, isFake: true },
          taints: [{ key: "nvidia.com/gpu", effect: "NoSchedule" }],
        },
      ],
      ...{ unusable: [], maxGpus: 4, maxCpus: 16, products: ["NVIDIA-A10G"], hasClaims: false },
    });
  });
});

function mergeTaint(node: Raw, taint: object): Raw {
  const spec = node["spec"] as { taints: object[] };
  return { ...node, spec: { ...spec, taints: [...spec.taints, taint] } };
}
