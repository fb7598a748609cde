import { expect, test } from "vitest";
import { renderText } from "../../triage/report/text";
import { changed, ids, reportOn } from "./support/clusters";
import { ago, daemonSet, event, hour, pod } from "./support/objects";

type Fields = Record<string, unknown>;

const crashed = (at: number) => [
  {
    ...{ name: "main", ready: false, restartCount: 3 + (at % 5), state: { waiting: { reason: "CrashLoopBackOff" } } },
    lastState: { terminated: { exitCode: 1, reason: "Error" } },
  },
];
const pulls = [{ name: "main", restartCount: 0, state: { waiting: { reason: "ErrImagePull", message: "not found" } } }];
const ended = [{ name: "main", restartCount: 0, state: { terminated: { exitCode: 1, reason: "Error" } } }];

const kinds: readonly (readonly [id: string, podOf: (at: number) => Fields, events?: (at: number) => Fields])[] = [
  ["crash-loop", (at) => pod(`w-${at}`, { node: "ip-gpu-b", gpus: 1, age: hour, statuses: crashed(at) })],
  ["image-pull", (at) => pod(`w-${at}`, { node: "ip-gpu-b", gpus: 1, age: hour, phase: "Pending", statuses: pulls })],
  ["pod-failed", (at) => pod(`w-${at}`, { node: "ip-gpu-b", gpus: 1, age: hour, phase: "Failed", statuses: ended })],
  [
    "pod-sandbox",
    (at) => pod(`w-${at}`, { node: "ip-gpu-b", gpus: 1, age: hour, phase: "Pending", statuses: [] }),
    (at) => event(["Pod", `w-${at}`], "FailedCreatePodSandBox", "plugin type=aws-cni failed: assign an IP address"),
  ],
];

/** Killed for its memory, each at another time and with another number of restarts. */
const killed = (at: number) => ({
  ...{ name: "main", ready: true, restartCount: 1 + (at % 2), state: { running: { startedAt: ago(at) } } },
  lastState: { terminated: { exitCode: 137, reason: "OOMKilled", finishedAt: ago(at + 5) } },
});

const reportOf = (count: number, [, podOf, eventOf]: (typeof kinds)[number]) => {
  const numbers = Array.from({ length: count }, (_, at) => at);
  return reportOn([...changed({ trainer: null }), ...numbers.map(podOf), ...(eventOf ? numbers.map(eventOf) : [])]);
};

test.for(kinds)("%s: alike failures become one conclusion that names all pods", (kind) => {
  const [id] = kind;
  const few = reportOf(3, kind).conclusions.filter((one) => one.id === id);
  expect(few.map(({ subject }) => subject)).toEqual(["pod gpu-lab/w-0", "pod gpu-lab/w-1", "pod gpu-lab/w-2"]);
  const report = reportOf(600, kind);
  const [one, ...more] = report.conclusions.filter((found) => found.id === id);
  expect(more).toEqual([]);
  expect(one?.subject).toBe("pods gpu-lab/w-0, gpu-lab/w-1, gpu-lab/w-2 and 597 more");
  expect(one?.pods).toHaveLength(600);
  expect(one?.evidence.length).toBeLessThanOrEqual(5);
  expect(renderText(report, { colors: false, columns: 100 }).split("\n").length).toBeLessThan(60);
});

test("pods with other errors are not alike, so each error is shown", () => {
  const errors = ["panic: no shard", "fatal: cannot map weights", "FEHLER: failed", "Error: port 80", "Error: port 90"];
  const pods = errors.map((_, at) => kinds[0]?.[1](at) ?? {});
  const logs = errors.map((line, at) => ({ namespace: "gpu-lab", pod: `w-${at}`, lines: [line] }));
  const { conclusions } = reportOn([...changed({ trainer: null }), ...pods], { logs });
  const shown = conclusions.flatMap(({ evidence }) => evidence.map(({ value }) => value));
  expect(shown).toEqual(expect.arrayContaining(errors));
});

test("alike notices with other durations and amounts become one", () => {
  const seconds = [20, 101, 119, 150, 701, 1800, 3001];
  const pods = seconds.map((at) => pod(`w-${at}`, { node: "ip-gpu-b", gpus: 1, age: hour, statuses: [killed(at)] }));
  const { conclusions } = reportOn([...changed({ trainer: null }), ...pods]);
  expect(conclusions.map(({ id, pods: { length } }) => [id, length])).toEqual([["memory-limit-exceeded", 7]]);
});

test("alike failures of a container that its kubelet names by an id become one", () => {
  const statuses = (at: number) => {
    const message = `container "main" in 4f${at}0c77ae19b5 lacks ${at + 1} device${at === 0 ? "" : "s"}`;
    const waiting = { reason: "CreateContainerConfigError", message };
    return [{ name: "main", ready: false, restartCount: 0, state: { waiting } }];
  };
  const pods = [0, 1, 2, 3].map((at) =>
    pod(`w-${at}`, { node: "ip-gpu-b", gpus: 1, age: hour, phase: "Pending", statuses: statuses(at) }),
  );
  const { conclusions } = reportOn([...changed({ trainer: null }), ...pods]);
  expect(conclusions.map(({ id, pods: { length } }) => [id, length])).toEqual([["container-start", 4]]);
});

// NVIDIA/gpu-operator#660
test("DaemonSets whose pods are rejected for the same reason become one that names them", () => {
  const message =
    "Error creating: insufficient quota to match these scopes: [{PriorityClass In [system-node-critical]}]";
  const names = ["nvidia-driver-daemonset", "gpu-feature-discovery", "nvidia-dcgm-exporter", "nvidia-mig-manager"];
  const events = names.map((name) =>
    event(["DaemonSet", name], "FailedCreate", message, {
      involvedObject: { kind: "DaemonSet", name, namespace: "gpu-operator" },
    }),
  );
  const sets = names.map((name) => ({
    ...daemonSet(name),
    status: { desiredNumberScheduled: 1, currentNumberScheduled: 0, numberReady: 0 },
  }));
  const { conclusions } = reportOn([
    ...changed({ "gpu-feature-discovery": null, "nvidia-dcgm-exporter": null }),
    ...sets,
    ...events,
  ]);
  const [found, ...more] = conclusions.filter(({ id }) => id === "quota-exceeded");
  expect(more).toEqual([]);
  const listed =
    "gpu-operator/nvidia-driver-daemonset, gpu-operator/gpu-feature-discovery, gpu-operator/nvidia-dcgm-exporter and 1 more";
  expect(found?.subject).toBe(`daemonsets ${listed}`);
});

test("failures that differ stay apart", () => {
  const [crash, pull] = kinds;
  const items = [0, 1, 2, 3].flatMap((at) => [crash?.[1](at) ?? {}, pull?.[1](at + 10) ?? {}]);
  const report = reportOn([...changed({ trainer: null }), ...items]);
  expect(ids(report).causes).toEqual(["crash-loop", "image-pull"]);
  expect(report.conclusions.map(({ pods }) => pods.length)).toEqual([4, 4]);
});
