import { Resource, Stack } from "../../policies/engine/resource";
import { Reader } from "../../components/core/reader/reader";
import type { RecordedResource, Recording } from "../record/record";
import { asAnalyzed, stackType } from "../record/recorded-resource";

/** A recording with the lookups that costs, reports and diagrams need. */
export interface ResourceIndex {
  readonly recording: Recording;
  /** The resources as rules read them. */
  readonly stack: Stack;
  ofType(...types: readonly string[]): RecordedResource[];
  byUrn(urn: string): RecordedResource | undefined;
  childrenOf(urn: string): readonly RecordedResource[];
  /** The components that contain a resource, nearest first, without the stack. */
  ancestorsOf(resource: RecordedResource): RecordedResource[];
  /** The resources of these types that determine the value of a property, in the order of registration. */
  sourcesOf(resource: RecordedResource, property: string, ...types: readonly string[]): RecordedResource[];
}

/** The component of @pulumi/eks, and the AWS resource itself. */
export const clusterTypes = ["eks:index:Cluster", "aws:eks/cluster:Cluster"] as const;

/** A reader of a resource's inputs. A value that is missing or known only after the update has no `.value`. */
export function inputsOf({ inputs }: RecordedResource): Reader {
  return new Reader(inputs);
}

const indexes = new WeakMap<Recording, ResourceIndex>();

/** The index of a recording, which its cost and all its reports share. */
export function indexOf(recording: Recording): ResourceIndex {
  const index = indexes.get(recording) ?? newIndex(recording);
  indexes.set(recording, index);
  return index;
}

function newIndex(recording: Recording): ResourceIndex {
  const byUrn = new Map(recording.resources.map((resource) => [resource.urn, resource]));
  const order = new Map(recording.resources.map((resource, position) => [resource.urn, position]));
  const children = groupedBy(recording.resources, ({ parent }) => parent ?? "");
  let stack: Stack | undefined;
  return {
    recording,
    get stack() {
      return (stack ??= new Stack(recording.resources.map((one) => new Resource(asAnalyzed(one)))));
    },
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

/** Items by a key, in their order. */
export function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** `aws:ec2/subnet:Subnet` is a `Subnet`; a provider is a `kubernetes provider`. */
export function shortType(type: string): string {
  const [module, , provider] = type.split(":");
  if (type.startsWith("pulumi:providers:")) return `${provider ?? module} provider`;
  return type.slice(type.lastIndexOf(":") + 1);
}
