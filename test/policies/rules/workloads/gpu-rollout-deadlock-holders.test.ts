import { describe, expect, test } from "vitest";
import { gpuRolloutDeadlock as rule } from "../../../../policies/rules/workloads/gpu-rollout-deadlock";
import { group, podSpec, workload } from "../../support/gpu-workloads";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const statefulSet = "kubernetes:apps/v1:StatefulSet";
const daemonSet = "kubernetes:apps/v1:DaemonSet";
const job = "kubernetes:batch/v1:Job";
const strategy = "spec.strategy";
const fail = [`fail ${strategy}`];
const advise = [`advise ${strategy}`];
const limit = (container = 0) =>
  `unknown spec.template.spec.containers[${container}].resources.limits["nvidia.com/gpu"]`;
const four = { instanceTypes: ["g5.12xlarge"] };
const other = (spec: object, pod: unknown = podSpec(), type = statefulSet) => workload(spec, pod, type, "other");

describe("what others hold, with one replica", () => {
  const mine = workload({ replicas: 1 });
  const container = (gpus: unknown) => ({ resources: { limits: { "nvidia.com/gpu": gpus } } });
  test.for([
    ["others of unknown number, but without GPUs", 2, other({ replicas: unknown }, podSpec(0)), []],
    ["others without GPUs, where there is one node", 1, other({ replicas: 9 }, podSpec(0)), fail],
    ["others of unknown GPUs", 2, other({ replicas: 1 }, podSpec(unknown)), [limit()]],
    ["others of unknown GPUs that have no pod", 2, other({ replicas: 0 }, podSpec(unknown)), [limit()]],
    ["others of unknown GPUs for other nodes", 2, other({ replicas: 1 }, podSpec(unknown, { tier: "x" })), []],
    ["a DaemonSet on each of three nodes", 3, other({}, podSpec(), daemonSet), fail],
    ["a DaemonSet of unknown GPUs", 2, other({}, podSpec(unknown), daemonSet), [limit()]],
    [
      "a DaemonSet of one GPU and of an unknown number",
      2,
      other({}, { containers: [container(1), container(unknown)] }, daemonSet),
      [limit(1)],
    ],
    ["a Job that says that it has begun", 2, other({ suspend: false }, podSpec(), job), advise],
    ["a Job that has no pod at a time", 2, other({ parallelism: 0 }, podSpec(), job), []],
    ["a Job on the last nodes but one", 3, other({}, podSpec(), job), []],
  ] as const)("%s", ([, maxSize, one, expected]) => {
    expect(verdicts(rule, [mine, group(maxSize), one])).toEqual(expected);
  });

  test("a DaemonSet holds nothing here by its pods on other nodes", () => {
    const elsewhere = group(9, { labels: { tier: "x" } }, "elsewhere");
    expect(verdicts(rule, [mine, group(1, four), elsewhere, other({}, podSpec(1, {}), daemonSet)])).toEqual([]);
  });
});

describe("what others hold, where a label of a group is unknown", () => {
  const mine = workload({ replicas: 1 });
  const ofTeam = (spec: object, type: string) => other(spec, podSpec(1, { team: "vision" }), type);
  const waits = ["unknown labels.team"];

  test("what may run elsewhere perhaps holds nothing for certain, and nothing is certain without it", () => {
    const here = group(2, { labels: { tier: "gpu", team: "vision" } });
    const there = group(1, { labels: { tier: "x", team: unknown } }, "there");
    expect(verdicts(rule, [mine, here, there, ofTeam({ replicas: 1 }, statefulSet)])).toEqual(waits);
  });

  test("a DaemonSet that may run here perhaps holds nothing for certain, and nothing is certain without it", () => {
    const here = group(2, { labels: { tier: "gpu", team: unknown } });
    expect(verdicts(rule, [mine, here, ofTeam({}, daemonSet)])).toEqual(waits);
  });
});

test("others leave room for pods by the GPUs of a pod", () => {
  const mine = workload({ replicas: 1 }, podSpec(2));
  const said = (pods: number) => verdicts(rule, [mine, group(2, four), other({ replicas: pods })]);
  expect([said(4), said(5), said(6)]).toEqual([[], [], fail]);
});

test("with a pod that is pinned to a node others are not counted, for they may stand on another", () => {
  const mine = workload({ replicas: 1 }, podSpec(1, { "kubernetes.io/hostname": "ip-10-0-0-1" }));
  expect(verdicts(rule, [mine, group(1, four), other({ replicas: 3 })])).toEqual([]);
});

test("a Deployment without GPUs is not judged, wherever it runs", () => {
  expect(verdicts(rule, [workload({ replicas: 1 }, podSpec(0, unknown)), group(1)])).toEqual([]);
});

test("a Deployment without replicas is not judged, whatever nodes there are", () => {
  expect(verdicts(rule, [workload({ replicas: 0 })])).toEqual([]);
  expect(verdicts(rule, [workload({ replicas: 0 }), group(0)])).toEqual([]);
});

describe("the message tells what others hold", () => {
  const said = (...resources: ReturnType<typeof resource>[]) =>
    findings(rule, resources).map(({ message }) => /Its GPU nodes .+?, so the/.exec(message)?.[0]);
  const mine = (replicas: number) => workload({ replicas });
  const lasting = workload({ replicas: 1 }, podSpec(), statefulSet, "lasting");
  const passing = workload({ parallelism: 2 }, podSpec(), job, "passing");
  const capacity = (pods: number) => `Its GPU nodes have capacity for at most ${pods} of these pods`;

  test.for([
    ["no other workload", [mine(3), group(3)], `${capacity(3)}, so the`],
    ["what stays", [mine(2), group(3), lasting], `${capacity(3)}, minus 1 GPU for other workloads, so the`],
    ["Jobs", [mine(1), group(3), passing], `${capacity(3)}, minus 2 GPU for Jobs until they end, so the`],
    [
      "what stays, and Jobs",
      [mine(1), group(4), lasting, passing],
      `${capacity(4)}, minus 1 GPU for other workloads, minus 2 GPU for Jobs until they end, so the`,
    ],
    [
      "what stays alone, where the rollout waits without the Jobs too",
      [mine(2), group(3), lasting, passing],
      `${capacity(3)}, minus 1 GPU for other workloads, so the`,
    ],
  ] as const)("%s", ([, resources, expected]) => {
    expect(said(...resources)).toEqual([expected]);
  });
});

describe("a DaemonSet that surges where shares are unknown", () => {
  const operator = resource("eks-gpu-lab:index:GpuOperator", { timeSlicing: { replicas: unknown } });
  const set = (gpus: number) =>
    workload({ updateStrategy: { rollingUpdate: { maxSurge: 1 } } }, podSpec(gpus), daemonSet);
  test.for([
    ["one pod fits a node", set(1), {}, ["unknown timeSlicing.replicas"]],
    ["two pods fit a node without any", set(2), four, []],
    ["four pods fit a node without any", set(1), four, []],
  ] as const)("%s", ([, one, more, expected]) => {
    expect(verdicts(rule, [one, group(1, more), operator])).toEqual(expected);
  });
});
