import { readFileSync } from "node:fs";
import { loadAll } from "js-yaml";
import { describe, expect, test } from "vitest";
import { manifestProblems } from "../support/kubernetes-schema";
import { ids, healthy, reportOn } from "../triage/support/clusters";
import { pod as podObject } from "../triage/support/objects";

type Manifest = Record<string, unknown> & {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: Record<string, unknown>;
};

const manifests = loadAll(readFileSync("docs/exercises/pending-pods.yaml", "utf8")) as Manifest[];
const pods = manifests.filter(({ kind }) => kind === "Pod");
const page = readFileSync("docs/exercises/pending-pods.md", "utf8");
/** Pod, message of the scheduler, conclusion of triage. */
const rows = [...page.matchAll(/^\| `([\w-]+)` +\| (.+?) +\| `([\w-]+)` +\|/gm)].map(
  ([, name = "", message = "", conclusion = ""]) => [name, /^`(.+)`$/.exec(message)?.[1], conclusion] as const,
);

test("every manifest is valid and in the namespace of the exercise", () => {
  expect(manifests.flatMap(manifestProblems)).toEqual([]);
  const others = manifests.filter(({ kind }) => kind !== "Namespace");
  expect(new Set(others.map(({ metadata }) => metadata.namespace))).toEqual(new Set(["pending-pods"]));
});

test("the page lists every pod", () => {
  expect(rows.map(([name]) => name)).toEqual(pods.map(({ metadata }) => metadata.name));
});

describe("triage reports for each pod what the page states", () => {
  test.for(rows)("%s", ([name, message, conclusion]) => {
    const manifest = pods.find(({ metadata }) => metadata.name === name);
    const claims = manifests.filter(({ kind }) => kind === "PersistentVolumeClaim");
    const waiting = { name: "main", state: { waiting: { reason: "ImagePullBackOff", message: "not found" } } };
    const object = podObject(name, {
      namespace: "pending-pods",
      spec: manifest?.spec ?? {},
      tolerations: (manifest?.spec["tolerations"] ?? []) as Record<string, unknown>[],
      ...(message === undefined ? { node: "ip-sys-1", phase: "Pending", statuses: [waiting] } : { scheduler: message }),
    });
    const subject = { kind: "pod", name, namespace: "pending-pods" };
    expect(ids(reportOn([...healthy, ...claims, object], { subject })).causes).toEqual([conclusion]);
  });
});

test("triage takes the manifests for pods that are not scheduled yet, not for placed ones", () => {
  const report = reportOn([...healthy, ...manifests]);
  const { lines = [] } = report.checks.find(({ layer }) => layer === "pod") ?? {};
  expect(lines).toContain("7 pods with neither a node nor a status: not scheduled yet");
  expect(lines.join()).not.toMatch(/[4-9] pods with GPUs placed/);
  expect(ids(report).causes).toEqual([]);
});
