import { describe, expect, test } from "vitest";
import * as clusters from "../../support/clusters";
import { changed, conclusion, ids, reportOn } from "../../support/clusters";
import { ago, daemonSet, event, hour, minute, pod } from "../../support/objects";
import { Wording } from "../../support/wording";

const wording = new Wording();

const subject = { kind: "pod", name: "p", namespace: "gpu-lab" };

const died = (seconds: number, ran = 20, exitCode = 1) => ({
  terminated: { exitCode, reason: "Error", startedAt: ago(seconds + ran), finishedAt: ago(seconds) },
});

const done = (seconds: number) => ({
  terminated: { ...died(seconds).terminated, exitCode: 0, reason: "Completed" },
});

type Fields = Record<string, unknown>;

/** Runs again since a moment after it ended. */
const runs = (end: Fields = died(24), fields: Fields = {}) => ({
  name: "main",
  ready: true,
  restartCount: 12,
  state: { running: { startedAt: ago(12) } },
  lastState: end,
  ...fields,
});

const hasEnded = (fields: Fields = {}) => ({
  name: "main",
  ready: false,
  restartCount: 12,
  state: died(24),
  lastState: died(2 * minute),
  ...fields,
});

function reportOf(status: Fields, fields: Parameters<typeof pod>[1] = {}, rest: Fields = {}) {
  const p = pod("p", { node: "ip-gpu-a", gpus: 1, age: 3 * hour, statuses: [status], ...fields });
  return reportOn([...changed({ trainer: null }), p], rest);
}

describe("a crash loop between two back-offs", () => {
  test.for([
    ["runs for now, and looks ready", runs(), "running, restartCount 12, last ended with exit code 1 (Error)"],
    ["has ended just now", hasEnded(), "ended, restartCount 12, last ended with exit code 1 (Error)"],
    ["out of memory after an unknown time", runs({ terminated: { exitCode: 137, reason: "OOMKilled" } }), "OOMKilled"],
  ] as const)("%s", ([, status, seen]) => {
    for (const rest of [{}, { subject }]) {
      const report = reportOf(status, {}, rest);
      expect(ids(report)).toEqual({ causes: ["crash-loop"], consequences: [], notices: [] });
      expect(conclusion(report, "crash-loop")).toMatchObject({ confidence: "likely" });
      expect(conclusion(report, "crash-loop").evidence[0]?.value).toContain(seen);
    }
  });

  test.for([
    ["restarted twice", runs(died(24), { restartCount: 2 })],
    ["ended well", runs(died(24, 20, 0))],
    ["has run for ten minutes since", runs(died(11 * minute), { state: { running: { startedAt: ago(10 * minute) } } })],
    ["had run for hours before it ended", runs(died(24, 2 * hour))],
    ["never ended", runs({}, { restartCount: 0 })],
  ] as const)("no crash loop: the container %s", ([, status]) => {
    for (const rest of [{}, { subject }]) expect(ids(reportOf(status, {}, rest)).causes).toEqual([]);
  });

  test("a new pod that runs is reported only if the user asks about it", () => {
    expect(ids(reportOf(runs(), { age: 9 * minute })).causes).toEqual([]);
    expect(ids(reportOf(runs(), { age: 9 * minute }, { subject })).causes).toEqual(["crash-loop"]);
    expect(ids(reportOf(hasEnded(), { age: 9 * minute })).causes).toEqual(["crash-loop"]);
  });

  test.for([
    [12, "crash-loop", "with exit code 0 (Completed)"],
    [1, "not-started", "with exit code 0 (Completed)"],
  ] as const)(
    "asked about by name, one that ended without an error and is started again, %s restarts",
    ([restartCount, id, text]) => {
      const status = hasEnded({ restartCount, state: done(24) });
      const report = reportOf(status, {}, { subject });
      expect(ids(report).causes).toEqual([id]);
      wording.add(conclusion(report, id));
      expect(conclusion(report, id).what).toContain(text);
      expect(ids(reportOf(status)).causes).toEqual([]);
    },
  );

  test("not for a container that has completed and is not restarted", () => {
    const raw = pod("p", { node: "ip-gpu-a", gpus: 1, statuses: [hasEnded({ state: done(24) })] });
    const spec = { ...(raw["spec"] as object), restartPolicy: "OnFailure" };
    expect(ids(reportOn([...changed({ trainer: null }), { ...raw, spec }], { subject })).causes).toEqual([]);
  });

  test("a pod that is being deleted is not in a crash loop", () => {
    const raw = pod("p", { node: "ip-gpu-a", gpus: 1, age: 3 * hour, statuses: [hasEnded()] });
    const gone = { ...raw, metadata: { ...(raw["metadata"] as object), deletionTimestamp: ago(10) } };
    expect(ids(reportOn([...changed({ trainer: null }), gone])).causes).toEqual([]);
  });

  test("if the user asks about the pod, a container is reported after its first exit", () => {
    const report = reportOf(hasEnded({ restartCount: 0 }), {}, { subject });
    wording.add(conclusion(report, "not-started"));
    expect(conclusion(report, "not-started").what).toContain("with exit code 1 (Error)");
    expect(ids(reportOf(hasEnded({ restartCount: 0 }))).causes).toEqual([]);
  });
});

describe("the operator's own pods", () => {
  const set = "nvidia-container-toolkit-daemonset";
  const toolkit = (status: Fields) =>
    pod(`${set}-a`, {
      namespace: "gpu-operator",
      node: "ip-gpu-a",
      owner: ["DaemonSet", set],
      age: 47 * hour,
      statuses: [status],
    });
  const half = daemonSet(set, { ready: 1 });

  test.for([
    ["has ended just now", hasEnded({ restartCount: 681 })],
    ["runs for now", runs(died(24), { restartCount: 681 })],
  ] as const)("681 restarts, and it %s", ([, status]) => {
    const report = reportOn([...clusters.healthy, half, toolkit(status)]);
    expect(ids(report)).toMatchObject({ causes: ["operator-pod-crash-loop"] });
    expect(conclusion(report, "operator-pod-crash-loop").evidence[0]?.value).toContain("restartCount 681");
  });

  test("the operator itself, ready at the moment", () => {
    const its = pod("gpu-operator-1", {
      namespace: "gpu-operator",
      node: "ip-sys-1",
      owner: ["ReplicaSet", "gpu-operator-x"],
      labels: { app: "gpu-operator" },
      age: hour,
      statuses: [runs({ terminated: { exitCode: 137, reason: "OOMKilled", finishedAt: ago(24) } })],
    });
    const report = reportOn([...clusters.healthy, its]);
    expect(ids(report).causes).toEqual(["operator-pod-crash-loop"]);
    wording.add(conclusion(report, "operator-pod-crash-loop"));
    expect(conclusion(report, "operator-pod-crash-loop").what).toContain("OOMKilled");
  });
});

describe("a container that was killed for its memory and runs again", () => {
  const killed = (seconds: number) => died(seconds, 2 * hour, 137);
  const outOfMemory = (seconds: number, fields: Fields = {}) =>
    runs(
      { terminated: { ...killed(seconds).terminated, reason: "OOMKilled" } },
      { name: "tokenizer", restartCount: 1, state: { running: { startedAt: ago(seconds - 5) } }, ...fields },
    );

  test("is a notice about the memory of the host", () => {
    for (const rest of [{}, { subject }]) {
      const report = reportOf(outOfMemory(7 * minute), {}, rest);
      expect(ids(report)).toEqual({ causes: [], consequences: [], notices: ["memory-limit-exceeded"] });
      const found = conclusion(report, "memory-limit-exceeded");
      expect(found).toMatchObject({ confidence: "certain", pods: ["gpu-lab/p"] });
      expect(found.evidence[0]?.value).toBe("with exit code 137 (OOMKilled)");
      expect(found.next.at(-1)?.command).toContain("-c tokenizer --previous");
      wording.add(found);
    }
  });

  test.for([
    ["the kill was hours ago", outOfMemory(3 * hour)],
    ["another signal ended it", runs(killed(7 * minute), { restartCount: 1 })],
    ["it has never ended", runs({}, { restartCount: 0 })],
  ] as const)("not if %s", ([, status]) => {
    expect(ids(reportOf(status, {}, { subject })).notices).toEqual([]);
  });

  test("a pod that is not ready since has a fault, too", () => {
    const probe = event(["Pod", "p"], "Unhealthy", "Readiness probe failed: connection refused");
    const p = pod("p", { node: "ip-gpu-a", gpus: 1, age: 3 * hour, statuses: [outOfMemory(90, { ready: false })] });
    const report = reportOn([...changed({ trainer: null }), p, probe]);
    expect(ids(report)).toMatchObject({ causes: ["not-ready"], notices: ["memory-limit-exceeded"] });
  });

  test("of a crash loop it is the text", () => {
    const report = reportOf(outOfMemory(30, { restartCount: 4, state: { waiting: { reason: "CrashLoopBackOff" } } }));
    expect(ids(report)).toMatchObject({ causes: ["crash-loop"], notices: [] });
  });
});

/** Messages as the kubelet prints them: pkg/kubelet/kuberuntime/kuberuntime_manager.go and pkg/kubelet/prober/prober.go. */
describe("a probe restarts a container", () => {
  const killed = (exitCode: number, reason = "Error", name = "main") =>
    hasEnded({
      name,
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: { terminated: { exitCode, reason } },
    });
  const of = (reason: string, message: string) => event(["Pod", "p"], reason, message);
  const kill = (probe: string, name = "main") =>
    of("Killing", `Container ${name} failed ${probe} probe, will be restarted`);
  const refused = 'Get "http://10.0.1.7:8000/health": dial tcp 10.0.1.7:8000: connect: connection refused';
  const reportWith = (status: Fields, events: Fields[]) =>
    reportOn([
      ...changed({ trainer: null }),
      pod("p", { node: "ip-gpu-a", gpus: 1, age: hour, statuses: [status] }),
      ...events,
    ]);

  test.for([
    ["startup", killed(137), [of("Unhealthy", `Startup probe failed: ${refused}`), kill("startup")], "certain"],
    ["liveness", killed(143), [kill("liveness")], "certain"],
    ["liveness", killed(0, "Completed"), [kill("liveness")], "likely"],
    [
      "startup",
      killed(137),
      [of("Unhealthy", "Startup probe failed: HTTP probe failed with statuscode: 503")],
      "likely",
    ],
    ["liveness", runs(died(24, 200, 137)), [kill("liveness")], "certain"],
    [
      "liveness",
      killed(137),
      [of("Unhealthy", "Liveness probe errored: rpc error: context deadline exceeded")],
      "likely",
    ],
  ] as const)("%s %#", ([probe, status, events, confidence]) => {
    const report = reportWith(status, [...events]);
    expect(ids(report)).toMatchObject({ causes: ["probe-restarts-container"], consequences: ["crash-loop"] });
    const found = conclusion(report, "probe-restarts-container");
    expect(found).toMatchObject({ confidence, pods: ["gpu-lab/p"] });
    expect(found.what).toContain(`The ${probe} probe of container main`);
    expect(found.next[0]?.command).toContain(`.${probe}Probe`);
    wording.add(found);
  });

  test.for([
    ["a readiness probe restarts nothing", killed(137), [of("Unhealthy", `Readiness probe failed: ${refused}`)]],
    ["the container's memory", killed(137, "OOMKilled"), [of("Unhealthy", `Liveness probe failed: ${refused}`)]],
    ["the container ends by itself", killed(1), [of("Unhealthy", `Startup probe failed: ${refused}`)]],
    ["another container is killed", killed(137), [kill("liveness", "sidecar")]],
    ["the pod is stopped", killed(137), [of("Killing", "Stopping container main")]],
  ] as const)("not if %s", ([, status, events]) => {
    expect(ids(reportWith(status, [...events])).causes).toEqual(["crash-loop"]);
  });

  test("not if the container has been ready for a while since", () => {
    const status = runs(died(2 * hour, 20, 137), { state: { running: { startedAt: ago(hour) } } });
    expect(ids(reportWith(status, [kill("liveness")])).causes).toEqual([]);
  });

  test("also of a component of the operator", () => {
    const driver = pod("nvidia-driver-daemonset-b", {
      ...{ namespace: "gpu-operator", node: "ip-gpu-b", owner: ["DaemonSet", "nvidia-driver-daemonset"] as const },
      statuses: [killed(137)],
    });
    const message = "Container main failed startup probe, will be restarted";
    const involvedObject = { kind: "Pod", name: "nvidia-driver-daemonset-b", namespace: "gpu-operator" };
    const events = [event(["Pod", involvedObject.name], "Killing", message, { involvedObject })];
    expect(ids(reportOn([...changed({}), driver, ...events]))).toMatchObject({
      causes: ["probe-restarts-container"],
      consequences: ["operator-pod-crash-loop"],
    });
  });
});

test("wording", () => expect(String(wording)).toMatchSnapshot());
