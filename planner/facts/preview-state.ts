import type { Properties } from "../../components/core/wire";
import type { RecordedResource, Recording } from "../record/record";
import { stackType } from "../record/recorded-resource";

/** A resource as `pulumi preview --json` describes it. */
export interface PreviewState {
  readonly urn: string;
  readonly custom: boolean;
  readonly type: string;
  readonly inputs?: Properties;
  readonly parent?: string;
  readonly protect?: boolean;
  readonly dependencies?: readonly string[];
  readonly provider?: string;
  readonly propertyDependencies?: Readonly<Record<string, readonly string[]>>;
  /** In seconds. */
  readonly customTimeouts?: Readonly<Record<string, number>>;
  readonly retainOnDelete?: boolean;
  readonly deletedWith?: string;
  readonly ignoreChanges?: readonly string[];
}

/** The state of each resource, the stack first; secrets are masked. */
export function statesOf({ resources }: Recording): PreviewState[] {
  const stackFirst = (a: RecordedResource, b: RecordedResource) =>
    Number(b.type === stackType) - Number(a.type === stackType);
  return [...resources].sort(stackFirst).map(stateOf);
}

function stateOf(resource: RecordedResource): PreviewState {
  const { urn, custom, type, parent, dependencies, provider, propertyDependencies, options } = resource;
  const { protect, customTimeouts = {}, retainOnDelete, deletedWith, ignoreChanges } = options;
  const timeouts = Object.entries(customTimeouts).filter(([, duration]) => duration !== "");
  const others = {
    inputs: sortedDeeply(masked(resource)),
    parent,
    protect,
    dependencies: [...dependencies].sort(),
    provider,
    propertyDependencies: sortedUrns(propertyDependencies),
    customTimeouts: Object.fromEntries(timeouts.map(([operation, duration]) => [operation, seconds(duration)])),
    retainOnDelete,
    deletedWith,
    ignoreChanges,
  };
  return { urn, custom, type, ...Object.fromEntries(Object.entries(others).filter(([, value]) => !isEmpty(value))) };
}

/** Like the engine, a state leaves out values that are empty or false. */
function isEmpty(value: unknown): boolean {
  return typeof value === "object" ? Object.keys(value ?? {}).length === 0 : !value;
}

const secondsOf: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001, us: 1e-6, ns: 1e-9 };

/** `1h30m` in seconds. @see https://pkg.go.dev/time#ParseDuration */
export function seconds(duration: string): number {
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|us|ns|h|m|s)/g)];
  return parts.reduce((sum, [, amount = "0", unit = "s"]) => sum + Number(amount) * (secondsOf[unit] ?? 0), 0);
}

function sortedUrns(dependencies: RecordedResource["propertyDependencies"]): Record<string, readonly string[]> {
  return sortedByKey(Object.fromEntries(Object.entries(dependencies).map(([key, urns]) => [key, [...urns].sort()])));
}

function sortedDeeply(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedDeeply);
  if (value === null || typeof value !== "object") return value;
  return sortedByKey(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sortedDeeply(item)])));
}

/** Keys in the order of a preview. */
export function sortedByKey<Value>(object: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** Replaces a secret, as in `pulumi preview`. */
export const secretMark = "[secret]";

/** The inputs of a resource with `[secret]` instead of each secret. All output of inputs uses this function. */
export function masked({ inputs, secretPaths }: Pick<RecordedResource, "inputs" | "secretPaths">): Properties {
  const secret = new Set(secretPaths);
  if (secret.size === 0) return inputs;

  // Paths as in a recording. A key with a dot can make two paths equal; both are masked then.
  const walk = (value: unknown, path: string): unknown => {
    if (path !== "" && secret.has(path)) return secretMark;
    if (Array.isArray(value)) return value.map((item, index) => walk(item, `${path}[${index}]`));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, walk(item, path === "" ? key : `${path}.${key}`)]),
    );
  };

  return walk(inputs, "") as Properties;
}
