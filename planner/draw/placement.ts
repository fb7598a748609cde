import type { RecordedResource } from "../record/record";
import type { ResourceIndex } from "../facts/resource-index";
import { stackType } from "../record/recorded-resource";
import type { PicturePart } from "./parts";

/** The part of each resource, by URN. A resource that belongs to several parts, or to none, has no entry. */
type Placement = ReadonlyMap<string, PicturePart>;

/** Of several parts, that of the first kind wins: a route refers to the VPC and to its target. VPC and cluster are last. */
const specific: readonly PicturePart["kind"][] = ["node group", "subnet", "NAT gateway", "internet gateway"];

/**
 * Where the resources of a program belong in its picture, by the references between them. The first of these rules that
 * finds a part decides:
 * 1. the resource that a part draws;
 * 2. a resource that only one part's resources use, such as the role of a node group;
 * 3. a resource that uses a part's resource, such as an add-on of the cluster; the most specific part if there are several;
 * 4. a resource in a component whose other resources are in one part, and the component itself.
 */
export function placementOf(parts: readonly PicturePart[], index: ResourceIndex): Placement {
  const resources = index.recording.resources.filter(({ type }) => type !== stackType);
  const drawn = new Map(parts.map((part) => [part.urn, part]));
  const used = memoized((urn) => drawn.get(urn) ?? onlyOne(usersOf(urn, index).map((user) => used(user.urn))));
  const placed = memoized((urn) => {
    const resource = index.byUrn(urn);
    if (!resource || !(resource.custom || resource.remote)) return undefined;
    return used(urn) ?? mostSpecific(sourcesOf(resource).map(placed), parts);
  });
  const inside = memoized((urn) => onlyOne(descendantsOf(urn, index).map(placed)));
  return new Map(
    resources.flatMap(({ urn }) => {
      const part = placed(urn) ?? aroundOf(urn, index, placed).map(inside)[0];
      return part ? [[urn, part] as const] : [];
    }),
  );
}

/** The nearest component with a placed resource: the resource itself, or one that contains it. */
function aroundOf(urn: string, index: ResourceIndex, placed: (urn: string) => PicturePart | undefined): string[] {
  const resource = index.byUrn(urn);
  const around = resource ? [resource, ...index.ancestorsOf(resource)] : [];
  return around.map((one) => one.urn).filter((one) => descendantsOf(one, index).some((below) => placed(below)));
}

function descendantsOf(urn: string, index: ResourceIndex): string[] {
  return index.childrenOf(urn).flatMap((child) => [child.urn, ...descendantsOf(child.urn, index)]);
}

/** The resources whose outputs are inputs of this one, and its provider. */
function sourcesOf({ propertyDependencies, provider = "" }: RecordedResource): string[] {
  // A provider reference is the provider's URN and its id, joined by "::".
  return [...Object.values(propertyDependencies).flat(), provider.slice(0, Math.max(0, provider.lastIndexOf("::")))];
}

function usersOf(urn: string, { recording }: ResourceIndex): RecordedResource[] {
  return recording.resources.filter(({ propertyDependencies }) =>
    Object.values(propertyDependencies).some((sources) => sources.includes(urn)),
  );
}

function onlyOne(parts: readonly (PicturePart | undefined)[]): PicturePart | undefined {
  const [one, another] = new Set(parts.filter((part) => part !== undefined));
  return another === undefined ? one : undefined;
}

function mostSpecific(
  found: readonly (PicturePart | undefined)[],
  parts: readonly PicturePart[],
): PicturePart | undefined {
  const candidates = parts.filter((part) => found.includes(part));
  const rank = ({ kind }: PicturePart) => (specific.includes(kind) ? specific.indexOf(kind) : specific.length);
  return candidates.reduce<PicturePart | undefined>((a, b) => (a && rank(a) <= rank(b) ? a : b), undefined);
}

/** The references between resources have no cycle: a resource refers only to earlier ones. */
function memoized(find: (urn: string) => PicturePart | undefined): (urn: string) => PicturePart | undefined {
  const known = new Map<string, PicturePart | undefined>();
  return (urn) => {
    if (!known.has(urn)) known.set(urn, find(urn));
    return known.get(urn);
  };
}
