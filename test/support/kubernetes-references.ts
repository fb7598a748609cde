import { isUnknown } from "../../policies/core/unknown";
import type { SchemaProblem } from "./kubernetes-schema";

/**
 * What the API server refuses although every key and type is right: mounts without a volume, names that are used twice
 * or are none, selectors that miss the pods they are for, Jobs that would restart their containers for ever.
 */
export function referenceProblems(manifest: unknown): SchemaProblem[] {
  const { kind, metadata, spec } = record(manifest);
  const { at, pods } = podsOf(String(kind), record(manifest));
  const path = `${at}spec`;
  const ends = ["Never", "OnFailure"].includes(String(record(pods["spec"])["restartPolicy"]));
  return [
    ...nameProblems(record(metadata)["name"], "metadata.name"),
    ...(kind === "Service" || pods["spec"] === undefined ? [] : podProblems(record(pods["spec"]), path)),
    ...selectorProblems(record(spec), record(record(pods["metadata"])["labels"])),
    ...((kind === "Job" || kind === "CronJob") && !ends
      ? [`${path}.restartPolicy: must be Never or OnFailure in a Job` as const]
      : []),
  ];
}

/** The pods that a manifest is or makes, and where it keeps them. */
function podsOf(kind: string, manifest: Values): { at: string; pods: Values } {
  const keys = { Pod: [], CronJob: ["spec", "jobTemplate", "spec", "template"] }[kind] ?? ["spec", "template"];
  const pods = keys.reduce<Values>((found, key) => record(found[key]), manifest);
  return { at: keys.map((key) => `${key}.`).join(""), pods };
}

function podProblems(spec: Values, path: string): SchemaProblem[] {
  const volumes = items(spec["volumes"]);
  const containers = [...items(spec["initContainers"]), ...items(spec["containers"])];
  return [
    ...twice(volumes, `${path}.volumes`),
    ...twice(containers, `${path}.containers`),
    ...containers.flatMap((container) => containerProblems(container, volumes, `${path}.containers`)),
  ];
}

function containerProblems(container: Values, volumes: readonly Values[], path: string): SchemaProblem[] {
  const known = volumes.map(({ name }) => name);
  const lost = items(container["volumeMounts"]).filter(({ name }) => !isUnknown(name) && !known.includes(name));
  const { requests, limits } = record(container["resources"]);
  const given = record(limits);
  // Kubernetes sets a request that is missing to the limit, and refuses a request of an extended resource without one.
  const loose = Object.keys(record(requests)).filter((key) => key.includes("/") && given[key] === undefined);
  return [
    ...nameProblems(container["name"], `${path}.name`),
    ...twice(items(container["env"]), `${path}.env`),
    ...lost.map(({ name }): SchemaProblem => `${path}.volumeMounts: there is no volume ${String(name)}`),
    ...loose.map((key): SchemaProblem => `${path}.resources.requests: ${key} has no limit`),
  ];
}

function selectorProblems(spec: Values, labels: Values): SchemaProblem[] {
  const { matchLabels } = record(spec["selector"]);
  return Object.entries(record(matchLabels))
    .filter(([key, value]) => labels[key] !== value)
    .map(([key]): SchemaProblem => `spec.selector.matchLabels: the pods lack ${key}`);
}

function twice(list: readonly Values[], path: string): SchemaProblem[] {
  const names = list.map(({ name }) => name);
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  return repeated.map((name): SchemaProblem => `${path}: ${String(name)} is there twice`);
}

/** @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ */
function nameProblems(name: unknown, path: string): SchemaProblem[] {
  if (typeof name !== "string" || isUnknown(name)) return [];
  const isName = name.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name);
  return isName ? [] : [`${path}: ${name} is no name`];
}

type Values = Readonly<Record<string, unknown>>;

function record(value: unknown): Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};
}

function items(value: unknown): Values[] {
  return Array.isArray(value) ? value.map(record) : [];
}
