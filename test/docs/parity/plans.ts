import { isDeepStrictEqual } from "node:util";
import type { RecordedResource, Recording } from "../../../planner/record/record";
import type { Absence, Expected, Selection } from "./rows";

/** The plans of gpu-lab, by the settings they were made with. */
export type Plans = ReadonlyMap<string, Recording>;

export const planKey = (config: readonly string[] = []): string => config.join(" ");

/** The plan with these settings; none for the committed stack. */
export function planOf(plans: Plans, config?: readonly string[]): Recording {
  const plan = plans.get(planKey(config));
  if (!plan) throw new Error(`there is no plan with ${planKey(config) || "no settings"}`);
  return plan;
}

/** What is asked of one resource. */
export interface Asked {
  readonly resource: RecordedResource;
  readonly expected: Expected;
}

/** The resources a selection names that are in the plan, in its order. */
export function selected({ type, all, resources }: Selection, plan: Recording): Asked[] {
  return Object.entries(resources).flatMap(([name, own]) =>
    plan.resources
      .filter((resource) => resource.type === type && resource.name === name)
      .map((resource) => ({ resource, expected: { ...all, ...own } })),
  );
}

/** Where the plan differs from what a selection says. */
export function selectionProblems(selection: Selection, plan: Recording): string[] {
  const asked = selected(selection, plan);
  const missing = Object.keys(selection.resources)
    .filter((name) => asked.filter(({ resource }) => resource.name === name).length !== 1)
    .map((name) => `the plan has no ${selection.type} ${name}`);
  return [
    ...missing,
    ...asked.flatMap(({ resource, expected }) => propertyProblems(resource, expected)),
    ...asked.flatMap(({ resource }) => optionProblems(resource, selection)),
  ];
}

export function propertyProblems(resource: RecordedResource, expected: Expected): string[] {
  return Object.entries(expected)
    .filter(([property, value]) => !holds(resource, property, value))
    .map(
      ([property, value]) =>
        `${resource.name}: ${property} should be ${JSON.stringify(value)}, the plan has ${shown(resource, property)}`,
    );
}

function optionProblems({ name, options, dependencies }: RecordedResource, selection: Selection): string[] {
  const { ignoreChanges, deletedWith, after = [] } = selection;
  const waitsFor = dependencies.map(nameOf);
  return [
    ...(ignoreChanges && !isDeepStrictEqual(options.ignoreChanges, ignoreChanges)
      ? [`${name}: ignores changes of ${options.ignoreChanges.join(", ") || "nothing"}`]
      : []),
    ...(deletedWith !== undefined && nameOf(options.deletedWith ?? "") !== deletedWith
      ? [`${name}: is deleted with ${options.deletedWith ?? "nothing"}, not with ${deletedWith}`]
      : []),
    ...after.filter((other) => !waitsFor.includes(other)).map((other) => `${name}: does not wait for ${other}`),
  ];
}

/** Whether a property is what a row says: exactly, by its source, or by what its text says. */
function holds(resource: RecordedResource, property: string, expected: unknown): boolean {
  const actual = valueAt(resource.inputs, property);
  const form = (expected ?? {}) as { ref?: unknown; json?: unknown; contains?: unknown; lacks?: unknown };
  if (form.ref !== undefined) return isDeepStrictEqual(sources(resource, property), [form.ref].flat().sort());
  if (form.json !== undefined) return isDeepStrictEqual(parsed(actual), form.json);
  if (form.contains !== undefined || form.lacks !== undefined) {
    const text = property === "userData" ? Buffer.from(String(actual), "base64").toString() : String(actual);
    return (
      listed(form.contains).every((part) => text.includes(part)) && !listed(form.lacks).some((p) => text.includes(p))
    );
  }
  return isDeepStrictEqual(actual, expected);
}

/** A property, or with `a.b` a property of one. */
function valueAt(properties: Expected, path: string): unknown {
  if (path in properties) return properties[path];
  const [first = "", ...rest] = path.split(".");
  const inner = properties[first];
  const isObject = typeof inner === "object" && inner !== null;
  return isObject && rest.length > 0 ? valueAt(inner as Expected, rest.join(".")) : undefined;
}

/** The resources of the plan that a row says are not there. */
export function absenceProblems({ type, values = {} }: Absence, plan: Recording): string[] {
  return plan.resources
    .filter((resource) => resource.type.startsWith(type) && propertyProblems(resource, values).length === 0)
    .map((resource) => `the plan has ${resource.type} ${resource.name}`);
}

export function nameOf(urn: string): string {
  return urn.split("::")[3] ?? "";
}

/** Names of the resources a property's value comes from. */
function sources({ propertyDependencies, inputs }: RecordedResource, property: string): string[] {
  const value = inputs[property];
  const itself = typeof value === "string" && value.startsWith("urn:pulumi:") ? [value] : [];
  return [...new Set([...(propertyDependencies[property] ?? []), ...itself].map(nameOf))].sort();
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch {
    return undefined;
  }
}

function listed(parts: unknown): string[] {
  return Array.isArray(parts) ? parts.map(String) : [];
}

function shown(resource: RecordedResource, property: string): string {
  const from = sources(resource, property);
  const value = JSON.stringify(valueAt(resource.inputs, property)) ?? "none";
  return from.length > 0 ? `${value} from ${from.join(", ")}` : value;
}
