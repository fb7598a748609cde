import { isUnknown } from "../../components/core/reader/truth";
import type { Recording } from "../../planner/record/record";
import { customResourceProblems } from "./custom-resources";
import { kubernetes134, kubernetes136, type ApiModel, type Field, type Type } from "./kubernetes-models";
import { referenceProblems } from "./kubernetes-references";
import { valueProblems } from "./kubernetes-values";

/**
 * Checks manifests as strictly as `kubectl apply --validate=strict` does, against the API models of Kubernetes 1.34 and
 * 1.36: 1.35, whose model no package has, takes what both take; and against the rules of the API for values. Whatever is known only later passes.
 */

/** One deviation from the API: `spec.containers[0].imagePullPolice: there is no such key`. */
export type SchemaProblem = `${string}: ${string}`;

/** What a manifest gets wrong. `apiVersion` and `kind` choose the model; an unknown kind of Kubernetes is a problem. */
export function manifestProblems(manifest: unknown): SchemaProblem[] {
  const { apiVersion, kind } = (manifest ?? {}) as { apiVersion?: unknown; kind?: unknown };
  if (typeof apiVersion !== "string" || typeof kind !== "string") return [": apiVersion and kind must be texts"];
  const found = [kubernetes134, kubernetes136].flatMap((model): SchemaProblem[] => {
    const name = model.rootOf(apiVersion, kind);
    if (model.fieldsOf(name) === undefined) return [`kind: Kubernetes has no ${apiVersion} ${kind}`];
    return problemsOf(manifest, { name }, "", model);
  });
  return [...new Set([...found, ...referenceProblems(manifest)])];
}

/**
 * What the resources of a recording get wrong, by logical name; one that is fine is left out. Custom resources, whose
 * group has a domain that is not Kubernetes' own, are checked against tables of their fields. Helm releases are no
 * objects of the API.
 */
export function recordingProblems({ resources }: Pick<Recording, "resources">): Record<string, SchemaProblem[]> {
  const found = resources
    .filter(({ type }) => isOfKubernetes(type) || isCustom(type))
    .map(({ name, type, inputs }): [string, SchemaProblem[]] => [
      name,
      [...misnamed(type, inputs), ...(isCustom(type) ? customResourceProblems(inputs) : manifestProblems(inputs))],
    ]);
  return Object.fromEntries(found.filter(([, problems]) => problems.length > 0));
}

/** Whether a Pulumi type such as `kubernetes:apps/v1:Deployment` is one of Kubernetes' own. */
export function isOfKubernetes(type: string): boolean {
  const group = /^kubernetes:([^/:]+)\/v\d\w*:\w+$/.exec(type)?.[1];
  if (group === undefined || group === "helm.sh") return false;
  return !group.includes(".") || group.endsWith(".k8s.io");
}

function isCustom(type: string): boolean {
  return (
    /^kubernetes:[^/:]+\.[^/:]+\/v\d\w*:\w+$/.test(type) &&
    !type.startsWith("kubernetes:helm.sh/") &&
    !isOfKubernetes(type)
  );
}

/** The engine would send another object than the one the type names. */
function misnamed(type: string, { apiVersion, kind }: Readonly<Record<string, unknown>>): SchemaProblem[] {
  const named = type.replace(/^kubernetes:/, "").replace(/^core\//, "");
  const given = `${String(apiVersion)}:${String(kind)}`;
  return named === given ? [] : [`kind: the type is ${type}, the object ${given}`];
}

function problemsOf(value: unknown, type: Type, path: string, model: ApiModel): SchemaProblem[] {
  if (value === undefined || isUnknown(value)) return [];
  if ("list" in type) {
    if (!Array.isArray(value)) return [`${path}: must be a list`];
    return value.flatMap((item, index) => problemsOf(item, type.list, `${path}[${index}]`, model));
  }
  if ("map" in type) {
    if (!isObject(value)) return [`${path}: must be an object`];
    return Object.entries(value).flatMap(([key, item]) => problemsOf(item, type.map, `${path}["${key}"]`, model));
  }
  const fits = primitives[type.name];
  if (fits) return fits(value) ? [] : [`${path}: must be ${type.name}, is ${JSON.stringify(value)}`];
  const fields = model.fieldsOf(type.name);
  if (!fields) return [`${path}: the API model has no ${type.name}`];
  if (!isObject(value)) return [`${path}: must be an object`];
  return [...fieldProblems(value, fields, path, model), ...valueProblems(type.name, value, path)];
}

function fieldProblems(
  value: Readonly<Record<string, unknown>>,
  fields: ReadonlyMap<string, Field>,
  path: string,
  model: ApiModel,
): SchemaProblem[] {
  const at = (key: string) => (path === "" ? key : `${path}.${key}`);
  const unknown = Object.keys(value).filter((key) => !fields.has(key));
  const missing = [...fields].filter(([key, { required }]) => required && value[key] === undefined);
  return [
    ...unknown.map((key): SchemaProblem => `${at(key)}: there is no such key`),
    ...missing.map(([key]): SchemaProblem => `${at(key)}: is missing`),
    ...[...fields].flatMap(([key, { type }]) => problemsOf(value[key], type, at(key), model)),
  ];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Numbers of Kubernetes' own API are whole, except in the schemas of custom resources, which are not checked here. */
const primitives: Readonly<Record<string, ((value: unknown) => boolean) | undefined>> = {
  string: (value) => typeof value === "string",
  number: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  IntOrString: (value) => Number.isInteger(value) || typeof value === "string",
  Date: (value) => typeof value === "string" && !Number.isNaN(Date.parse(value)),
  any: () => true,
};
