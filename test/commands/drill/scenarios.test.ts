import { describe, expect, test } from "vitest";
import {
  documentOf,
  restoredLines,
  resultLines,
  rightAnswers,
  type Diagnosis,
  type DrillResult,
} from "../../../commands/drill/report";
import { scenarioFor, scenarios } from "../../../commands/drill/scenarios/scenarios";
import type { Site } from "../../../commands/drill/scenario";
import { notStarted } from "../../../commands/drill/session";
import { conclusionIds } from "../../../triage/conclusions";

const site: Site = {
  target: {
    ...{ name: "gpu-1", hostname: "gpu-1.local", freeGpus: 2, isFake: true },
    taints: [
      { key: "nvidia.com/gpu", effect: "NoSchedule" },
      { key: "kwok.x-k8s.io/node", effect: "NoSchedule" },
    ],
  },
  ...{ maxGpus: 4, maxCpus: 3.92, products: ["NVIDIA-H100-80GB-HBM3"], hasClaims: true },
};
const cases = scenarios.map((scenario) => [scenario.id, scenario] as const);

test("at least eight, each with an id and a conclusion of its own that triage draws", () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(8);
  expect(new Set(scenarios.map(({ id }) => id)).size).toBe(scenarios.length);
  expect(new Set(scenarios.map(({ conclusion }) => conclusion)).size).toBe(scenarios.length);
  for (const { conclusion, also = [] } of scenarios) {
    for (const id of [conclusion, ...also]) expect(conclusionIds).toContain(id);
    expect(scenarioFor(conclusion)?.conclusion).toBe(conclusion);
  }
});

describe.each(cases)("%s", (id, { conclusion, symptom, injection, hints, cause, repair, sign }) => {
  test("gives neither its id nor its conclusion away in the symptom and the hints", () => {
    for (const text of [symptom("server"), ...hints(site)]) {
      expect(text).not.toMatch(new RegExp(`\\b(${id === "taint" ? "untolerated" : id}|${conclusion})\\b`, "i"));
    }
  });

  test("has three different hints, a sign, a cause and commands that use kubectl", () => {
    expect(new Set(hints(site)).size).toBe(3);
    for (const text of [sign, cause(site)]) expect(text.length).toBeGreaterThan(20);
    expect(repair(site).some((command) => command.startsWith("kubectl "))).toBe(true);
  });

  test("has pods that tolerate the taints of their node, and that a second drill creates in the same way", () => {
    const text = JSON.stringify(injection(site));
    expect(JSON.stringify(injection(site))).toBe(text);
    if (text.includes('"containers"')) expect(text).toContain('"kwok.x-k8s.io/node","operator":"Exists"');
  });
});

test("what depends on the cluster fits any cluster: products, largest node, free GPUs", () => {
  const objectsOf = (id: string) => JSON.stringify(scenarios.find((one) => one.id === id)?.injection(site));
  expect(objectsOf("selector")).not.toContain("NVIDIA-H100-80GB-HBM3");
  expect(objectsOf("too-many-gpus")).toContain('"nvidia.com/gpu":"5"');
  expect(objectsOf("too-many-cpus")).toContain('"cpu":"12"');
  for (const id of ["holder", "rollout"]) expect(objectsOf(id)).toContain('"nvidia.com/gpu":"2"');
  expect(objectsOf("cordoned")).toContain('"kubernetes.io/hostname":"gpu-1.local"');
});

describe("the report", () => {
  const holder = scenarioFor("gpus-in-use");
  const noGpus = scenarioFor("gpu-allocatable-zero");
  if (!holder || !noGpus) throw new Error("A scenario is missing.");
  const triage: Diagnosis = {
    first: { id: "gpus-in-use", what: "Every GPU is allocated." },
    ...{ rootCauses: ["gpus-in-use"], consequences: ["insufficient-gpu"] },
  };
  const done: DrillResult = {
    ...{ context: "kwok", seed: 7, scenario: holder, site, symptom: "Pod stays Pending.", triage, result: "solved" },
    seconds: 83,
    progress: { hints: 1, tries: [{ answer: "gpus-in-use", right: true }], result: "solved" },
  };

  test("of a solved drill has cause, repair, triage and score", () => {
    expect(resultLines(done)).toEqual([
      "Right: gpus-in-use.",
      "Cause: The idle pod notebook requests the last free GPUs of gpu-1. Kubernetes does not see whether a pod uses its GPU.",
      ...["Repair:", { command: "kubectl -n gpu-drill delete pod notebook   # or add a GPU node" }],
      "Triage agrees. gpus-in-use: Every GPU is allocated.",
      "Time to the right diagnosis: 83s; 1 hint, 1 try.",
    ]);
  });

  test.each([
    ["given-up", "The answer is gpus-in-use.", "Not solved. Time: 83s; 0 hints, 0 tries."],
    [
      "input-ended",
      "The input ended without the right diagnosis. The answer is gpus-in-use.",
      "Not solved. Time: 83s; 0 hints, 0 tries.",
    ],
  ] as const)("of %s has the answer", (result, first, last) => {
    const lines = resultLines({ ...done, result, progress: notStarted });
    expect([lines[0], lines.at(-1)]).toEqual([first, last]);
  });

  test("of an interrupted drill has no answer", () => {
    expect(resultLines({ ...done, result: "interrupted" })).toEqual(["Interrupted."]);
  });

  test("says so when triage names another cause first, or none", () => {
    const other: Diagnosis = { ...triage, first: { id: "node-not-ready", what: "The node is not Ready." } };
    expect(resultLines({ ...done, triage: other })).toContain(
      "Triage names another cause first, which the cluster may have had before the drill. node-not-ready: The node is not Ready.",
    );
    expect(resultLines({ ...done, triage: { rootCauses: [], consequences: [] } })).toContain("Triage found no cause.");
    expect(documentOf({ ...done, triage: other }, [])).toMatchObject({
      triage: { first: "node-not-ready", agrees: false },
    });
  });

  test("as JSON", () => {
    expect(documentOf(done, [])).toEqual({
      ...{ kind: "DrillReport", version: 1, context: "kwok", seed: 7, scenario: "holder", target: "gpu-1" },
      ...{ symptom: "Pod stays Pending.", result: "solved", seconds: 83, hints: 1, conclusion: "gpus-in-use" },
      attempts: [{ answer: "gpus-in-use", correct: true }],
      triage: { first: "gpus-in-use", rootCauses: ["gpus-in-use"], agrees: true },
      ...{ restored: true, leftovers: [] },
    });
  });

  test("of what is not restored has the commands", () => {
    const leftovers = [
      { object: "node/gpu-1", why: "it cannot be restored: forbidden.", commands: ["kubectl uncordon gpu-1"] },
    ];
    expect(restoredLines({ nodes: ["gpu-1"], leftovers })).toEqual([
      "NOT restored:",
      ...["node/gpu-1: it cannot be restored: forbidden. Run:", { command: "kubectl uncordon gpu-1" }],
    ]);
    expect(documentOf(done, leftovers)).toMatchObject({ restored: false, leftovers });
  });

  test("a cause that depends on the cluster is right only if triage finds it there", () => {
    expect(rightAnswers(noGpus, triage)).toEqual(["gpu-allocatable-zero"]);
    expect(rightAnswers(noGpus, { ...triage, rootCauses: ["gpu-operator-not-installed"] })).toEqual([
      ...["gpu-allocatable-zero", "gpu-operator-not-installed"],
    ]);
  });
});
