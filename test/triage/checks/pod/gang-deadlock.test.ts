import { expect, test } from "vitest";
import { changed, conclusion, ids, insufficientEverywhere, reportOn } from "../../support/clusters";
import { ago, event, gpuNode, minute, pod } from "../../support/objects";
import { Wording } from "../../support/wording";

type Fields = Exclude<Parameters<typeof pod>[1], undefined>;
type Item = ReturnType<typeof pod>;

const wording = new Wording();

/** The healthy cluster, whose two GPUs are free, with more objects. */
const cluster = (...items: readonly Item[]) => [...changed({ trainer: null }), ...items];

/** A rank that has a GPU on a node. */
const placed = (name: string, node: string, fields: Fields = {}) =>
  pod(name, { gpus: 1, owner: ["StatefulSet", name.slice(0, -2)], node, ...fields });

/** A rank that waits for GPUs. */
const waits = (name: string, fields: Fields = {}) =>
  pod(name, { gpus: 1, owner: ["StatefulSet", name.slice(0, -2)], scheduler: insufficientEverywhere, ...fields });

const [a, b] = ["ip-gpu-a", "ip-gpu-b"] as const;
const runA = [placed("train-a-0", a), waits("train-a-1")];
const runB = [placed("train-b-0", b), waits("train-b-1", { age: 2 * minute })];

const causesOf = (...items: readonly Item[]) => ids(reportOn(cluster(...items))).causes;

test("two runs hold one of two GPUs each: the deadlock is the cause of the shortage, for either pod", () => {
  const report = reportOn(cluster(...runA, ...runB));
  expect(ids(report)).toEqual({ causes: ["gang-deadlock"], consequences: ["insufficient-gpu"], notices: [] });
  const found = conclusion(report, "gang-deadlock");
  expect(report.conclusions.filter(({ id }) => id === "gang-deadlock")).toEqual([found]);
  expect(found).toMatchObject({
    confidence: "likely",
    nodes: [a, b],
    pods: ["gpu-lab/train-a-1", "gpu-lab/train-b-1"],
  });
  expect(found.evidence.map(({ object, value }) => [object, value]).slice(0, 2)).toEqual([
    ["-n gpu-lab statefulset/train-a", "holds 1 of nvidia.com/gpu (train-a-0 on ip-gpu-a), waits for 1 (train-a-1)"],
    ["-n gpu-lab statefulset/train-b", "holds 1 of nvidia.com/gpu (train-b-0 on ip-gpu-b), waits for 1 (train-b-1)"],
  ]);
  expect(found.next.map(({ command }) => command)).toContainEqual(
    expect.stringMatching(/^kubectl patch statefulset\/train-a -n gpu-lab .*"replicas":0/),
  );
  wording.add(found);
  const subject = { kind: "pod", name: "train-b-1", namespace: "gpu-lab" };
  expect(ids(reportOn(cluster(...runA, ...runB), { subject })).causes).toEqual(["gang-deadlock"]);
});

const indexed = (index: number) => ({ "batch.kubernetes.io/job-completion-index": String(index) });
const ofJob = (name: string): Fields => ({ owner: ["Job", name] });
const job = (name: string, node: string): Item[] => [
  placed(`${name}-0`, node, { ...ofJob(name), labels: indexed(0) }),
  waits(`${name}-1`, { ...ofJob(name), labels: indexed(1) }),
];
/** Each pod has an owner of its own. */
const labelled = (name: string, node: string, labels: Record<string, string>): Item[] => [
  placed(`${name}-0`, node, { owner: ["Job", `${name}-leader`], labels }),
  waits(`${name}-1`, { owner: ["Job", `${name}-workers`], labels }),
];
const lws = (index: string) => ({
  "leaderworkerset.sigs.k8s.io/name": "llm",
  "leaderworkerset.sigs.k8s.io/group-index": index,
});

test.for<readonly [string, readonly Item[]]>([
  ["indexed Jobs", [...job("a", a), ...job("b", b)]],
  ["a StatefulSet and an indexed Job", [...runA, ...job("b", b)]],
  [
    "PyTorchJobs",
    ["a", "b"].flatMap((name, at) => [
      placed(`${name}-master-0`, [a, b][at] ?? "", { owner: ["PyTorchJob", name] }),
      waits(`${name}-worker-0`, { owner: ["PyTorchJob", name] }),
    ]),
  ],
  [
    "JobSets",
    ["a", "b"].flatMap((name, at) => labelled(name, [a, b][at] ?? "", { "jobset.sigs.k8s.io/jobset-name": name })),
  ],
  ["two groups of one LeaderWorkerSet", [...labelled("llm-0", a, lws("0")), ...labelled("llm-1", b, lws("1"))]],
  [
    "runs in two namespaces",
    [
      ...runA,
      ...runB.map((one) => ({
        ...one,
        metadata: { ...(one["metadata"] as object), namespace: "team-b" },
      })),
    ],
  ],
])("a deadlock of %s", ([, items]) => {
  const report = reportOn(cluster(...items));
  expect(ids(report).causes).toEqual(["gang-deadlock"]);
  wording.add(conclusion(report, "gang-deadlock"));
});

const refused = (name: string) =>
  event(["Pod", name], "NotTriggerScaleUp", "pod didn't trigger scale-up: 1 max node group size reached");

test("a node group at its maximum is no cause of its own: the GPUs are enough for one run", () => {
  const report = reportOn(cluster(...runA, ...runB, refused("train-a-1"), refused("train-b-1")));
  expect(ids(report)).toMatchObject({
    causes: ["gang-deadlock"],
    consequences: expect.arrayContaining(["scale-up-refused"]) as unknown,
  });
});

test.for<readonly [string, readonly Item[], readonly string[]]>([
  [
    "one run at the maximum of the node group",
    [...runA, placed("notebook", b), refused("train-a-1")],
    ["scale-up-refused"],
  ],
  ["one run, and a run that has all of its GPUs", [...runA, placed("train-b-0", b)], ["gpus-in-use"]],
  [
    "one run, and a run that waits whole",
    [placed("train-a-0", a), placed("train-a-1", b), waits("train-b-0")],
    ["gpus-in-use"],
  ],
  [
    "pods of a Deployment",
    ["a", "b"].flatMap((name, at) => [
      placed(`${name}-1`, [a, b][at] ?? "", { owner: ["ReplicaSet", name] }),
      waits(`${name}-2`, { owner: ["ReplicaSet", name] }),
    ]),
    ["gpus-in-use"],
  ],
  [
    "Jobs of independent pods",
    ["a", "b"].flatMap((name, at) => [
      placed(`${name}-x`, [a, b][at] ?? "", ofJob(name)),
      waits(`${name}-y`, ofJob(name)),
    ]),
    ["gpus-in-use"],
  ],
  [
    "a run that also waits for a volume",
    [
      ...runA,
      placed("train-b-0", b),
      waits("train-b-1", { scheduler: "0/4 nodes are available: pod has unbound immediate PersistentVolumeClaims." }),
    ],
    ["gpus-in-use", "unbound-volume-claim"],
  ],
  [
    "a pod that has waited for seconds",
    [...runA, placed("train-b-0", b), waits("train-b-1", { age: 20 })],
    ["gpus-in-use"],
  ],
  [
    "a pod that ends and holds a GPU",
    [
      ...runA,
      { ...runB[0], metadata: { ...(runB[0]?.["metadata"] as object), deletionTimestamp: ago(5) } },
      ...runB.slice(1),
    ],
    ["gpus-in-use"],
  ],
  [
    "an autoscaler that starts a node",
    [
      ...runA,
      ...runB,
      event(["Pod", "train-b-1"], "TriggeredScaleUp", "pod triggered scale-up: [{gpu-asg 2->3 (max: 3)}]"),
    ],
    ["gpus-in-use"],
  ],
  [
    "runs that need more than all of them hold",
    [...runA, waits("train-a-2"), ...runB, waits("train-b-2")],
    ["gpus-in-use"],
  ],
])("no deadlock: %s", ([, items, causes]) => expect(causesOf(...items)).toEqual(causes));

test("no deadlock: runs that select different nodes", () => {
  const only = (item: Item, pool: string) => ({
    ...item,
    spec: { ...(item["spec"] as object), nodeSelector: { pool } },
  });
  const nodes = [gpuNode(a, { labels: { pool: "a" } }), gpuNode(b, { labels: { pool: "b" } })];
  const items = changed({ trainer: null, [a]: nodes[0] ?? {}, [b]: nodes[1] ?? {} });
  const runs = [...runA.map((one) => only(one, "a")), ...runB.map((one) => only(one, "b"))];
  expect(ids(reportOn([...items, ...runs])).causes).toEqual(["gpus-in-use"]);
  expect(ids(reportOn([...items, ...runA, ...runB])).causes).toEqual(["gang-deadlock"]);
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
