import type { RecordedResource, Recording } from "../record/record";
import { unknownSentinel } from "../../components/core/wire";

/** A recording with the look-ups that reports and pictures need. */
export interface ResourceIndex {
  readonly recording: Recording;
  ofType(...types: readonly string[]): RecordedResource[];
  byUrn(urn: string): RecordedResource | undefined;
  childrenOf(urn: string): readonly RecordedResource[];
  /** The components around a resource, nearest first; the stack is not one of them. */
  ancestorsOf(resource: RecordedResource): RecordedResource[];
  /** The resources of these types that the value of a property comes from, in the order they were registered. */
  sourcesOf(resource: RecordedResource, property: string, ...types: readonly string[]): RecordedResource[];
}

export const stackType = "pulumi:pulumi:Stack";

/** The component of @pulumi/eks, and the AWS resource itself. */
export const clusterTypes = ["eks:index:Cluster", "aws:eks/cluster:Cluster"] as const;

export function indexOf(recording: Recording): ResourceIndex {
  const byUrn = new Map(recording.resources.map((resource) => [resource.urn, resource]));
  const order = new Map(recording.resources.map((resource, position) => [resource.urn, position]));
  const children = new Map<string, RecordedResource[]>();
  for (const resource of recording.resources) {
    if (resource.parent === undefined) continue;
    const siblings = children.get(resource.parent) ?? [];
    siblings.push(resource);
    children.set(resource.parent, siblings);
  }
  return {
    recording,
    ofType: (...types) => recording.resources.filter((resource) => types.includes(resource.type)),
    byUrn: (urn) => byUrn.get(urn),
    childrenOf: (urn) => children.get(urn) ?? [],
    ancestorsOf(resource) {
      const found: RecordedResource[] = [];
      for (let at = parentOf(resource); at && at.type !== stackType; at = parentOf(at)) found.push(at);
      return found;
    },
    sourcesOf: (resource, property, ...types) =>
      (resource.propertyDependencies[property] ?? [])
        .map((urn) => byUrn.get(urn))
        .filter((source) => source !== undefined)
        .filter((source) => types.includes(source.type))
        .sort((a, b) => (order.get(a.urn) ?? 0) - (order.get(b.urn) ?? 0)),
  };

  function parentOf(resource: RecordedResource): RecordedResource | undefined {
    return resource.parent === undefined ? undefined : byUrn.get(resource.parent);
  }
}

/** `aws:ec2/subnet:Subnet` is a `Subnet`; a provider is a `kubernetes provider`. */
export function shortType(type: string): string {
  const [module, , provider] = type.split(":");
  if (type.startsWith("pulumi:providers:")) return `${provider ?? module} provider`;
  return type.slice(type.lastIndexOf(":") + 1);
}

/** The value at a path such as `scalingConfig.maxSize` or `instanceTypes.0`; `undefined` when absent or unknown. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const key of path.split(".")) {
    if (value === null || typeof value !== "object") return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value === unknownSentinel ? undefined : value;
}

/** A known, non-empty text at a path. */
export function textAt(root: unknown, path: string): string | undefined {
  const value = valueAt(root, path);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A number at a path, also one that is written as text, as provider inputs allow. */
export function numberAt(root: unknown, path: string): number | undefined {
  const value = valueAt(root, path);
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

/** A list at a path; empty when there is none. */
export function listAt(root: unknown, path: string): readonly unknown[] {
  const value = valueAt(root, path);
  return Array.isArray(value) ? value : [];
}
