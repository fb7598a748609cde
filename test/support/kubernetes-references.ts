import { isUnknown } from "../../components/core/reader/truth";
import { cronJobName, dnsLabel, serviceName, type Syntax } from "./kubernetes-names";
import type { SchemaProblem } from "./kubernetes-schema";

/**
 * What the API server refuses although every key and value is right: mounts without a volume, names that are used twice
 * or that the kind does not take, selectors that miss the pods they are for, pods that end although they must not, or
 * that never do.
 */
export function referenceProblems(manifest: unknown): SchemaProblem[] {
  const { kind, metadata, spec } = record(manifest);
  const { at, pods } = podsOf(String(kind), record(manifest));
  const path = `${at}spec`;
  return [
    ...nameProblems(String(kind), record(metadata)["name"]),
    ...(kind === "Service" || pods["spec"] === undefined ? [] : podProblems(record(pods["spec"]), path)),
    ...selectorProblems(record(spec), record(record(pods["metadata"])["labels"])),
    ...restartProblems(String(kind), record(pods["spec"])["restartPolicy"], path),
  ];
}

function restartProblems(kind: string, policy: unknown, path: string): SchemaProblem[] {
  if (isUnknown(policy)) return [];
  if (kind === "Job" || kind === "CronJob") {
    return policy === "Never" || policy === "OnFailure"
      ? []
      : [`${path}.restartPolicy: must be Never or OnFailure in a Job`];
  }
  const lasts = ["Deployment", "DaemonSet", "ReplicaSet", "StatefulSet"].includes(kind);
  return lasts && policy !== undefined && policy !== "Always"
    ? [`${path}.restartPolicy: must be Always in a ${kind}`]
    : [];
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
  return [
    ...twice(items(container["env"]), `${path}.env`),
    ...lost.map(({ name }): SchemaProblem => `${path}.volumeMounts: there is no volume ${String(name)}`),
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

/** Kinds whose names are shorter or stricter than others. */
const names: Readonly<Record<string, Syntax>> = { Namespace: dnsLabel, Service: serviceName, CronJob: cronJobName };

function nameProblems(kind: string, name: unknown): SchemaProblem[] {
  if (typeof name !== "string" || isUnknown(name)) return [];
  const fault = names[kind]?.(name);
  return fault === undefined ? [] : [`metadata.name: ${fault}, is "${name}"`];
}

type Values = Readonly<Record<string, unknown>>;

function record(value: unknown): Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};
}

function items(value: unknown): Values[] {
  return Array.isArray(value) ? value.map(record) : [];
}
