import { describe, expect, test } from "vitest";
import { areOfTwoClusters, compare } from "../../triage/compare";
import { comparisonText } from "../../triage/report/comparison";
import type { Dump } from "../../triage/snapshot/dump";
import { changed, dumpOf, healthy, pluginOff, systemNodes } from "./support/clusters";
import { ago, clusterPolicy, conditions, daemonSet, deployment, gpuNode, hour, node, pod } from "./support/objects";

const base = dumpOf(healthy);

/** The differences of one kind and name from the healthy cluster, as `change worse key before -> after`. */
function linesOf(before: Dump, after: Dump): string[] {
  return compare(before, after).map(({ kind, name, change, worse, facts }) =>
    [
      `${kind} ${name}: ${change}${worse ? " worse" : ""}`,
      ...facts.map((one) => `${one.name} ${one.before ?? "none"} -> ${one.after ?? "none"}`),
    ].join(", "),
  );
}

function withUid(object: Record<string, unknown>, uid: string, creationTimestamp: string) {
  return { ...object, metadata: { ...(object["metadata"] as object), uid, creationTimestamp } };
}

const both = (gpus: string) =>
  Object.fromEntries(["ip-gpu-a", "ip-gpu-b"].map((name) => [name, gpuNode(name, { gpus })]));
const notReady = conditions({ Ready: { status: "False", reason: "KubeletNotReady" } });
const restarted = [{ name: "main", ready: true, restartCount: 3, state: { running: { startedAt: ago(60) } } }];
const crashing = [
  { name: "main", ready: false, restartCount: 3, state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: {} },
];

describe("what changed", () => {
  const cases: readonly (readonly [what: string, after: Parameters<typeof dumpOf>[0], line: RegExp])[] = [
    [
      "a node that is not Ready",
      changed({ "ip-gpu-a": gpuNode("ip-gpu-a", { conditions: notReady }) }),
      /^Node ip-gpu-a: changed worse, Ready True -> False$/m,
    ],
    ["a node that is gone", changed({ "ip-gpu-b": null }), /^Node ip-gpu-b: gone, .*type g5.xlarge -> none/m],
    [
      "the total without a node",
      changed({ "ip-gpu-b": null }),
      /^Total all nodes: changed worse, Ready nodes 4 -> 3, allocatable GPUs 2 -> 1$/m,
    ],
    ["a new node", [...healthy, gpuNode("ip-gpu-c")], /^Node ip-gpu-c: added, .*nvidia.com\/gpu none -> 1/m],
    [
      "the total with a new node",
      [...healthy, gpuNode("ip-gpu-c")],
      /^Total all nodes: changed, Ready nodes 4 -> 5, allocatable GPUs 2 -> 3$/m,
    ],
    [
      "GPUs that are not advertised",
      changed({ "ip-gpu-a": gpuNode("ip-gpu-a", { gpus: null }) }),
      /^Node ip-gpu-a: changed worse, nvidia.com\/gpu 1 -> none$/m,
    ],
    [
      "a taint",
      changed({ "ip-sys-1": node("ip-sys-1", { taints: [{ key: "a", effect: "NoSchedule" }] }) }),
      /^Node ip-sys-1: changed, taints none -> a:NoSchedule$/m,
    ],
    [
      "another machine with the name",
      changed({ "ip-gpu-a": withUid(gpuNode("ip-gpu-a"), "new", ago(hour)) }),
      /^Node ip-gpu-a: recreated, created \S+ -> \S+$/m,
    ],
    [
      "a DaemonSet that misses pods",
      changed({ "nvidia-dcgm-exporter": daemonSet("nvidia-dcgm-exporter", { ready: 1 }) }),
      /^DaemonSet gpu-operator\/nvidia-dcgm-exporter: changed worse, ready 2\/2 -> 1\/2$/m,
    ],
    [
      "a DaemonSet that is gone",
      changed({ "nvidia-dcgm-exporter": null }),
      /^DaemonSet gpu-operator\/nvidia-dcgm-exporter: gone worse/m,
    ],
    [
      "a recreated DaemonSet",
      changed({ "nvidia-dcgm-exporter": withUid(daemonSet("nvidia-dcgm-exporter"), "new", ago(9)) }),
      /^DaemonSet gpu-operator\/nvidia-dcgm-exporter: recreated, created/m,
    ],
    [
      "the operator without a pod",
      changed({
        "gpu-operator": deployment("gpu-operator", { namespace: "gpu-operator", ready: 0 }),
      }),
      /^Deployment gpu-operator\/gpu-operator: changed worse, ready 1\/1 -> 0\/1$/m,
    ],
    [
      "the state of the ClusterPolicy",
      changed({ "cluster-policy": clusterPolicy({}, { state: "notReady" }) }),
      /^ClusterPolicy cluster-policy: changed worse, state ready -> notReady/m,
    ],
    [
      "a disabled component",
      changed({ "cluster-policy": clusterPolicy({ devicePlugin: { enabled: false } }) }),
      /^ClusterPolicy .*worse, .*devicePlugin.enabled true -> false/m,
    ],
    [
      "restarts",
      changed({ trainer: pod("trainer", { node: "ip-gpu-a", gpus: 1, statuses: restarted }) }),
      /^Pod gpu-lab\/trainer: changed, restarts 0 -> 3$/m,
    ],
    [
      "a pod that crashes",
      changed({ trainer: pod("trainer", { node: "ip-gpu-a", gpus: 1, statuses: crashing }) }),
      /^Pod gpu-lab\/trainer: changed worse, reason none -> CrashLoopBackOff, restarts 0 -> 3$/m,
    ],
    [
      "a pod that failed",
      changed({ trainer: pod("trainer", { node: "ip-gpu-a", gpus: 1, phase: "Failed" }) }),
      /^Pod gpu-lab\/trainer: changed worse, phase Running -> Failed$/m,
    ],
    ["a pod that is gone", changed({ trainer: null }), /^Pod gpu-lab\/trainer: gone, phase Running -> none/m],
    [
      "a new pod that waits",
      [...healthy, pod("next", { gpus: 1 })],
      /^Pod gpu-lab\/next: added, phase none -> Pending/m,
    ],
    [
      "a new conclusion",
      pluginOff,
      /^Conclusion device-plugin-disabled: added worse, level none -> problem, about none -> clusterpolicy/m,
    ],
  ];

  test.for(cases)("%s", ([, after, line]) => {
    expect(linesOf(base, dumpOf(after)).join("\n")).toMatch(line);
  });

  test("a conclusion about more objects is worse, and one about fewer is not", () => {
    const one = dumpOf(changed({ "ip-gpu-a": gpuNode("ip-gpu-a", { gpus: "0" }) }));
    const two = dumpOf(changed(both("0")));
    expect(linesOf(one, two)).toContainEqual(expect.stringMatching(/^Conclusion gpu-allocatable-zero: changed worse,/));
    expect(linesOf(two, one)).toContainEqual(expect.stringMatching(/^Conclusion gpu-allocatable-zero: changed, about/));
  });

  test("nothing between equal snapshots", () => {
    expect(linesOf(base, dumpOf(healthy, { takenAt: "2026-11-22T10:00:00Z" }))).toEqual([]);
  });

  test("two nodes that swapped names are two other machines", () => {
    const [a, b] = ["ip-gpu-a", "ip-gpu-b"];
    const swapped = dumpOf(
      changed({ [a]: withUid(gpuNode(a), `uid-${b}`, ago(60)), [b]: withUid(gpuNode(b), `uid-${a}`, ago(90)) }),
    );
    const lines = linesOf(base, swapped).filter((line) => line.startsWith("Node"));
    expect(lines).toEqual([
      expect.stringMatching(/^Node ip-gpu-a: recreated/),
      expect.stringMatching(/^Node ip-gpu-b: recreated/),
    ]);
  });
});

describe("what was not read is unknown, and neither gone nor new", () => {
  const denied = (what: string) => [{ what, where: "all namespaces", why: "access denied (403)" }];
  const readWithout = (what: string) =>
    ["pods", "nodes", "daemonsets", "deployments", "clusterpolicies"].filter((one) => one !== what);
  const kinds = {
    pods: "Pod",
    nodes: "Node",
    daemonsets: "DaemonSet",
    deployments: "Deployment",
    clusterpolicies: "ClusterPolicy",
  };

  test.for(Object.entries(kinds))("%s", ([what, kind]) => {
    const items = healthy.filter((item) => item["kind"] !== kind);
    const partial = dumpOf(items, { read: readWithout(what), unread: denied(what) });
    const both = [...linesOf(base, partial), ...linesOf(partial, base)].filter((line) => line.startsWith(`${kind} `));
    expect(both.length).toBeGreaterThan(0);
    expect(both.filter((line) => !line.includes(": unknown"))).toEqual([]);
  });

  test("a Deployment other than the operator, which triage reads only for waiting pods", () => {
    const labelled = (name: string, labels: Record<string, string>) => {
      const raw = deployment(name, { namespace: "gpu-operator" });
      return { ...raw, metadata: { ...(raw["metadata"] as object), labels } };
    };
    const both = [labelled("operator", { "app.kubernetes.io/component": "gpu-operator" }), labelled("nfd-master", {})];
    const lines = linesOf(dumpOf([...healthy, ...both]), base);
    expect(lines).toContainEqual(expect.stringMatching(/^Deployment gpu-operator\/operator: gone worse/));
    expect(lines).toContainEqual(expect.stringMatching(/^Deployment gpu-operator\/nfd-master: unknown,/));
  });

  test("some of the pods", () => {
    const part = dumpOf(changed({ trainer: null }), {
      unread: [{ what: "pods", where: "namespace gpu-lab", why: "no" }],
    });
    expect(linesOf(base, part)).toContainEqual(expect.stringMatching(/^Pod gpu-lab\/trainer: unknown, phase/));
  });

  test("a triage of one pod", () => {
    const part = dumpOf(changed({ trainer: null }), { subject: { kind: "pod", name: "x", namespace: "a" } });
    expect(linesOf(base, part)).toContainEqual(expect.stringMatching(/^Pod gpu-lab\/trainer: unknown/));
  });

  test("a pod that left for a node whose pods triage does not list", () => {
    const waited = dumpOf([...healthy, pod("cpu")]);
    const onSystem = dumpOf([...healthy, pod("cpu", { node: "ip-sys-1" })]);
    for (const [before, after] of [
      [waited, base],
      [onSystem, base],
      [base, onSystem],
    ] as const) {
      expect(linesOf(before, after)).toContainEqual(expect.stringMatching(/^Pod gpu-lab\/cpu: unknown/));
    }
  });

  test("conclusions of a triage that checked only some of the waiting pods", () => {
    const waiting = Array.from({ length: 25 }, (_, at) => pod(`w-${at}`, { gpus: 9 + at }));
    const lines = linesOf(dumpOf(pluginOff), dumpOf([...healthy, ...waiting]));
    expect(lines).toContainEqual(expect.stringMatching(/^Conclusion device-plugin-disabled: unknown,/));
  });

  test("conclusions: not gone, and a problem counts as worse", () => {
    const faulty = dumpOf(pluginOff);
    const blind = dumpOf(systemNodes, { unread: denied("clusterpolicies") });
    const about = expect.stringMatching(/^Conclusion device-plugin-disabled: unknown,/) as string;
    expect(linesOf(faulty, blind)).toContainEqual(about);
    expect(linesOf(blind, faulty)).toContainEqual(
      expect.stringMatching(/^Conclusion device-plugin-disabled: unknown worse/),
    );
  });
});

describe("another cluster", () => {
  const other = dumpOf(
    healthy.map((item, at) => withUid(item, `other-${at}`, ago(hour))),
    { context: "b" },
  );

  test("has no object in common, whatever the context is called", () => {
    expect(areOfTwoClusters(base, other)).toBe(true);
    expect(areOfTwoClusters(base, { ...base, context: "b" })).toBe(false);
  });

  test("without objects, the context decides", () => {
    const empty = dumpOf([], { context: "a" });
    expect(areOfTwoClusters(empty, other)).toBe(true);
    expect(areOfTwoClusters(empty, { ...base, context: "a" })).toBe(false);
  });
});

describe("the text", () => {
  const plain = { colors: false, columns: 100 };
  const textOf = (before: Dump, after: Dump) =>
    comparisonText({ before, after, differences: compare(before, after) }, plain);

  test("says that the saved data is newer", () => {
    const later = dumpOf(healthy, { takenAt: "2026-11-21T13:00:00Z" });
    expect(textOf(base, later)).toContain("(3h later)");
    expect(textOf(base, later)).not.toContain("clocks");
    expect(textOf(later, base)).toMatch(/^Before: .*13:00:00Z\nNow: .*10:00:00Z\nThe saved data is newer: the clocks/);
  });

  test("says what was not read, and why an object is unknown", () => {
    const unread = [{ what: "pods", where: "all namespaces", why: "access denied (403)" }];
    const part = dumpOf(changed({ trainer: null }), { unread });
    expect(textOf(base, part)).toMatch(/^ {2}\? gpu-lab\/trainer: gone, or not read now, phase Running/m);
    expect(textOf(base, part)).toContain("Not read now\n  pods of all namespaces: access denied (403)");
    expect(textOf(part, base)).toContain("Not read in the saved data\n  pods of all namespaces");
    expect(textOf(part, base)).toContain("? gpu-lab/trainer: new, or not read before");
  });

  test("lists 20 of a kind, with what got worse first", () => {
    const many = Array.from({ length: 30 }, (_, at) => pod(`new-${at}`, { node: "ip-gpu-b" }));
    const text = textOf(
      base,
      dumpOf([...changed({ trainer: pod("trainer", { node: "ip-gpu-a", gpus: 1, phase: "Failed" }) }), ...many]),
    );
    const [, first = "", ...rest] = text.slice(text.indexOf("\nPod\n") + 1).split("\n");
    expect(first).toContain("~ gpu-lab/trainer: worse");
    expect(rest.indexOf("  and 11 more, which --json lists")).toBe(19);
  });

  test("has no control characters of names", () => {
    const evil = { ...pod("evil", { node: "ip-gpu-a" }), status: { phase: "Fai\u001b[2Jled", reason: "\u0007x" } };
    expect(textOf(base, dumpOf([...healthy, evil]))).not.toMatch(/\p{Cc}(?<!\n)/u);
  });
});

test("5,000 pods are compared, each by its name", () => {
  const podsOf = (prefix: string) =>
    Array.from({ length: 5000 }, (_, at) => pod(`${prefix}-${at}`, { node: `ip-gpu-${at % 300}`, gpus: 1 }));
  const machines = Array.from({ length: 300 }, (_, at) => gpuNode(`ip-gpu-${at}`));
  const [before, after] = [dumpOf([...machines, ...podsOf("old")]), dumpOf([...machines, ...podsOf("new")])];
  expect(compare(before, after).filter(({ kind }) => kind === "Pod")).toHaveLength(10_000);
});
