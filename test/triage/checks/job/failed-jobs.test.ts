import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { noListener, testReport, verdictOf } from "../../../../triage/snapshot/logs/test-report";
import { readDump } from "../../../../triage/snapshot/read-dump";
import { triage } from "../../../../triage/triage";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, reportOn } from "../../support/clusters";
import { ago, conditions, event, gpuNode, hour, minute, pod, secret } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

const namespace = "nccl-block";

function job(reason: string, fields: Record<string, unknown> = {}) {
  const failed = { type: "Failed", status: "True", reason, message: "m", lastTransitionTime: ago(minute) };
  return {
    kind: "Job",
    metadata: { name: "all-reduce", namespace },
    spec: {
      ...{ parallelism: 2, completions: 2, activeDeadlineSeconds: 1200 },
      template: { spec: { containers: [{ name: "n", resources: { limits: { "nvidia.com/gpu": "1" } } }] } },
      ...fields,
    },
    status: { failed: 2, conditions: [failed] },
  };
}

/** A pod of the Job that has ended, with what it left behind. */
function ended(index: number, message: string, terminated: Record<string, unknown> = {}) {
  const state = { terminated: { exitCode: 1, reason: "Error", message, finishedAt: ago(2 * minute), ...terminated } };
  return pod(`all-reduce-${index}-x`, {
    ...{
      namespace,
      gpus: 1,
      phase: "Failed",
      node: index === 0 ? "ip-gpu-a" : "ip-gpu-b",
      owner: ["Job", "all-reduce"],
    },
    statuses: [{ name: "all-reduce", ready: false, restartCount: 0, state }],
  });
}

const line = (stage: string, reason: string) => JSON.stringify({ result: "failed", stage, reason, sizes: [] });
const noAnswer = "all-reduce-0.all-reduce could not be reached within 300 s: no answer at all.";
const blocked = [
  job("FailedIndexes"),
  ended(
    0,
    line("rendezvous", "Not every rank reached all-reduce-0 within 300 s: a pod waits for a node, or cannot reach it."),
  ),
  ended(1, line("rendezvous", noAnswer)),
];

describe("a GPU Job whose pods ended with an error", () => {
  const report = reportOn([...clusters.healthy, ...blocked]);
  const found = conclusion(report, "job-failed");

  test("the most specific report decides", () => {
    expect(ids(report)).toEqual({ causes: ["job-failed"], consequences: [], notices: [] });
    expect(found).toMatchObject({ subject: "job nccl-block/all-reduce", confidence: "likely" });
    wording.add(found);
  });

  test("the report of each pod is evidence, with its age", () => {
    expect(found.evidence.map(({ field }) => field)).toEqual([
      "condition Failed",
      "status.containerStatuses[all-reduce].state.terminated.message",
      "status.containerStatuses[all-reduce].state.terminated.message",
    ]);
    expect(found.evidence[2]).toMatchObject({
      object: "-n nccl-block pod/all-reduce-1-x",
      value: `failed at stage rendezvous: ${noAnswer}`,
      at: ago(2 * minute),
    });
  });

  test("suggests checking the rules of both security groups", () => {
    const commands = found.next.map(({ command }) => command).join("\n");
    expect(commands).toMatch(/describe-security-group-rules.*nodeSecurityGroupId\),.*auxiliaryNodeSgId/);
    expect(commands).toContain("networkpolicies");
  });

  test("if the user asks about a pod, its failure is a consequence of the Job's failure", () => {
    const subject = { kind: "pod", name: "all-reduce-1-x", namespace };
    expect(ids(reportOn([...clusters.healthy, ...blocked], { subject }))).toMatchObject({
      causes: ["job-failed"],
      consequences: ["pod-failed"],
    });
  });

  test.for(["BackoffLimitExceeded", "MaxFailedIndexesExceeded", "PodFailurePolicy"])("%s, too", (reason) => {
    const items = [job(reason, { parallelism: 1 }), ended(0, "", { exitCode: 137, reason: "OOMKilled" })];
    const one = conclusion(reportOn([...clusters.healthy, ...items]), "job-failed");
    wording.add(one);
    expect(one.evidence[1]?.value).toBe("with exit code 137 (OOMKilled)");
    expect(JSON.stringify(one.next)).not.toContain("security-group");
  });

  test("a notice if a later Job of the same CronJob succeeded", () => {
    const of = (name: string, age: number, type: string) => {
      const ownerReferences = [{ kind: "CronJob", name: "gpu-probe" }];
      const metadata = { name, namespace, creationTimestamp: ago(age), ownerReferences };
      return { ...job("BackoffLimitExceeded"), metadata, status: { conditions: [{ type, status: "True" }] } };
    };
    const level = (...items: Record<string, unknown>[]) =>
      conclusion(reportOn([...clusters.healthy, ...items]), "job-failed").level;
    expect(level(of("p-1", hour, "Failed"), of("p-2", minute, "Complete"))).toBe("notice");
    expect(level(of("p-1", minute, "Failed"), of("p-2", hour, "Complete"))).toBe("problem");
  });

  test("no finding for a Job that requests no GPU or has not failed", () => {
    const template = { spec: { containers: [{ name: "n" }] } };
    expect(ids(reportOn([...clusters.healthy, job("FailedIndexes", { template })])).causes).toEqual([]);
    expect(ids(reportOn([...clusters.healthy, { ...job("x"), status: {} }])).causes).toEqual([]);
  });

  test("a node of the Job that is down explains the failure; another node does not", () => {
    const silent = conditions({ Ready: { status: "Unknown", reason: "NodeStatusUnknown" } });
    const down = (name: string) => ({ [name]: gpuNode(name, { conditions: silent }) });
    const own = reportOn([...changed(down("ip-gpu-b")), ...blocked]);
    expect(ids(own)).toMatchObject({ causes: ["node-not-ready"], consequences: ["job-failed"] });
    wording.add(conclusion(own, "job-failed"));
    expect(JSON.stringify(conclusion(own, "job-failed"))).not.toContain("security-group");
    const third = [...changed({}), gpuNode("ip-gpu-c", { conditions: silent, gpus: "1" })];
    expect(ids(reportOn([...third, ...blocked])).causes).toEqual(
      expect.arrayContaining(["job-failed", "node-not-ready"]),
    );
  });
});

describe("a GPU Job that exceeded its deadline", () => {
  const out = job("DeadlineExceeded");
  const found = (...items: Record<string, unknown>[]) =>
    conclusion(reportOn([...clusters.healthy, out, ...items]), "job-out-of-time");
  const running = pod("all-reduce-0-x", {
    ...{ namespace, gpus: 1, node: "ip-gpu-a", owner: ["Job", "all-reduce"] },
    statuses: [{ name: "n", ready: true, restartCount: 0, state: { running: { startedAt: ago(hour) } } }],
  });

  test("its pods ran: their ports may be closed", () => {
    const one = found(running);
    wording.add(one);
    expect(JSON.stringify(one.next)).toContain("security-group");
  });

  test("its pods still wait: the network is not the cause", () => {
    const waits = pod("all-reduce-0-x", {
      namespace,
      gpus: 1,
      owner: ["Job", "all-reduce"],
      scheduler: clusters.insufficientEverywhere,
    });
    const one = found(waits);
    expect(one).toMatchObject({ confidence: "likely" });
    wording.add(one);
    expect(JSON.stringify(one.next)).not.toContain("security-group");
  });

  test("its nodes joined after the deadline: it waited for nodes", () => {
    const young = changed({
      "ip-gpu-a": gpuNode("ip-gpu-a", { age: 30 }),
      "ip-gpu-b": gpuNode("ip-gpu-b", { age: 30 }),
    });
    const one = conclusion(reportOn([...young, out]), "job-out-of-time");
    wording.add(one);
    expect(one.confidence).toBe("likely");
  });

  const ofPod = (reason: string, message: string, seconds: number) =>
    event(["Pod", "all-reduce-0-x"], reason, message, {
      metadata: { name: `e-${reason}`, namespace },
      involvedObject: { kind: "Pod", name: "all-reduce-0-x", namespace },
      lastTimestamp: ago(seconds),
    });

  test("its pods no longer exist, and one had no node to the end: the deadline passed while it waited", () => {
    const refused = ofPod("FailedScheduling", clusters.insufficientEverywhere, 2 * minute);
    const one = found(refused);
    expect(one).toMatchObject({ confidence: "likely" });
    const without = [...clusters.systemNodes, clusters.operator.deployment, out, refused];
    expect(conclusion(reportOn(without), "job-out-of-time").confidence).toBe("certain");
    expect(one.evidence[1]).toMatchObject({ field: "event FailedScheduling", at: ago(2 * minute) });
    expect(JSON.stringify(one.next)).not.toContain("security-group");
    wording.add(one);
    for (const reason of ["Scheduled", "Started"])
      expect(found(refused, ofPod(reason, "m", 90)).confidence).toBe("possible");
    const about = { kind: "Pod", name: "all-reduce-large-0-x7k2p", namespace };
    expect(found({ ...refused, involvedObject: about }).confidence).toBe("possible");
  });

  test("its pods no longer exist: both causes are possible", () => {
    const one = found(ofPod("FailedScheduling", clusters.insufficientEverywhere, 20 * minute));
    expect(one).toMatchObject({ confidence: "possible" });
    wording.add(one);
    expect(one.evidence[1]).toMatchObject({ field: "event FailedScheduling" });
    expect(one.next[1]).toMatchObject({ command: "kubectl -n nccl-block delete job all-reduce", changes: true });
  });
});

test("a Job that has failed and waits for the end of a pod on a node that is down", () => {
  const silent = conditions({ Ready: { status: "Unknown", reason: "NodeStatusUnknown" } });
  const raw = pod("all-reduce-1-x", { namespace, gpus: 1, node: "ip-gpu-b", owner: ["Job", "all-reduce"] });
  const gone = { ...raw, metadata: { ...(raw["metadata"] as object), deletionTimestamp: ago(hour) } };
  const target = { type: "FailureTarget", status: "True", reason: "DeadlineExceeded", message: "m" };
  const waits = { ...job("x"), status: { conditions: [target] } };
  const items = changed({ "ip-gpu-b": gpuNode("ip-gpu-b", { conditions: silent }) });
  expect(ids(reportOn([...items, waits, gone]))).toMatchObject({
    causes: ["node-not-ready"],
    consequences: ["job-out-of-time"],
  });
  const { evidence } = conclusion(reportOn([...clusters.healthy, waits]), "job-out-of-time");
  expect(evidence[0]?.field).toBe("condition FailureTarget");
});

test("a half-failed Job whose pods are gone, in the output of kubectl", () => {
  const half = job("FailedIndexes", { completionMode: "Indexed" });
  const items = [...clusters.healthy, { ...half, status: { ...half.status, succeeded: 1, failed: 1 } }];
  const dump = readDump(JSON.stringify({ kind: "List", items }), "test");
  expect(ids(triage(dump)).causes).toEqual(["job-failed"]);
  // No log is left.
  const [first] = conclusion(triage(dump), "job-failed").next;
  expect(first?.command).toBe("kubectl -n nccl-block describe job all-reduce");
});

describe("a pod with a deadline of its own", () => {
  const message = "Pod was active on the node longer than the specified deadline";
  const expired = (statuses: Record<string, unknown>[]) => {
    const raw = pod("p", { node: "ip-gpu-a", gpus: 1, phase: "Failed", statuses });
    return { ...raw, status: { ...(raw["status"] as object), reason: "DeadlineExceeded", message } };
  };
  const ran = {
    name: "main",
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode: 137, reason: "Error" } },
  };

  test.for([
    ["before its containers started", []],
    ["while its containers ran", [ran]],
  ] as const)("%s", ([when, statuses]) => {
    const report = reportOn([...changed({ trainer: null }), expired([...statuses])]);
    expect(ids(report)).toEqual({ causes: ["pod-failed"], consequences: [], notices: [] });
    expect(conclusion(report, "pod-failed").what).toContain(when);
    expect(conclusion(report, "pod-failed").evidence[0]?.value).toContain(message);
    wording.add(conclusion(report, "pod-failed"));
  });
});

describe("a termination message", () => {
  test("keeps the report of a test and drops all other text", () => {
    expect(testReport(line("rendezvous", "x".repeat(900)))).toEqual({
      ...{ result: "failed", stage: "rendezvous", reason: "x".repeat(300) },
    });
    expect(testReport(`Traceback\n${line("done", "r")}\n`)?.stage).toBe("done");
    for (const text of ["", "{", "null", "[]", '{"result":1}', `password ${secret}`])
      expect(testReport(text)).toBeUndefined();
    const kept = clusters.dumpOf([ended(0, `token ${secret}`)]).objects.pods[0]?.status.containerStatuses[0]?.state;
    expect(JSON.stringify(kept)).not.toContain(secret);
  });

  test.for([
    ["rendezvous", "no answer at all", true],
    ["rendezvous", "its name is not known", false],
    ["rendezvous", noListener, false],
    ["nccl-init", "The ranks met, but NCCL did not connect them", true],
    ["all-reduce", "the path between the nodes broke", true],
    ["done", "was expected", false],
  ] as const)("%s, %s", ([stage, reason, network]) => {
    expect(readFileSync("components/workloads/nccl/scripts/report.py", "utf8")).toContain(reason);
    const verdict = verdictOf([{ result: "failed", stage, reason }]);
    wording.add(verdict?.what ?? "");
    expect(verdict?.isNetwork).toBe(network);
  });

  test("a passed report has no verdict on the network", () => {
    expect(verdictOf([{ result: "passed", stage: "all-reduce" }])).toBeUndefined();
  });
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
