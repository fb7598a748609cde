import { boxesOf, controlPlaneId, gatewayId, gpuClusterOf, natId, networkId, subnetsOf } from "./boxes";
import type { Network } from "./networks";
import { subnetText, type NodeGroupBox, type Picture } from "./picture";
import type { ResourceIndex } from "../facts/resource-index";
import type { RecordedResource } from "../record/record";
import { stackType } from "../record/recorded-resource";

/** A part of the picture that stands for resources of the program. A node group may be drawn as several boxes. */
export interface PicturePart {
  readonly kind: "VPC" | "internet gateway" | "subnet" | "NAT gateway" | "node group" | "control plane";
  readonly name: string;
  /** The boxes in Graphviz: ids of nodes, and of boxes around nodes with the prefix `cluster_`. */
  readonly boxes: readonly string[];
  /** URN of the resource that it draws. */
  readonly urn: string;
}

/** The parts of a picture, the outer ones before those in them. What the program does not create is not a part. */
export function partsOf(picture: Picture): PicturePart[] {
  return [
    ...picture.networks.flatMap((network, index) => networkParts(network, networkId(index))),
    ...picture.nodeGroups.map((group) => nodeGroupPart(group, picture)),
    ...picture.clusters.map(({ urn, name }, index): PicturePart => {
      return { kind: "control plane", name, boxes: [controlPlaneId(index)], urn };
    }),
  ];
}

function networkParts(network: Network, id: string): PicturePart[] {
  const { name, internetGateway } = network;
  const subnets = subnetsOf(network, id);
  const created = subnets.filter(({ subnet }) => subnet.kind !== "existing");
  return [
    ...(network.existing ? [] : [{ kind: "VPC" as const, name, boxes: [`cluster_${id}`], urn: network.id }]),
    ...(internetGateway === undefined
      ? []
      : [{ kind: "internet gateway" as const, name, boxes: [gatewayId(id)], urn: internetGateway }]),
    ...created.map(({ subnet, id: box }): PicturePart => {
      return { kind: "subnet", name: subnetText(subnet), boxes: [`cluster_${box}`], urn: subnet.id };
    }),
    ...created.flatMap(({ subnet, id: box }) =>
      subnet.natGateways.map((urn, index): PicturePart => {
        return { kind: "NAT gateway", name: `in ${subnetText(subnet)}`, boxes: [natId(box, index)], urn };
      }),
    ),
  ];
}

function nodeGroupPart(group: NodeGroupBox, picture: Picture): PicturePart {
  const own = boxesOf(picture).filter((box) => box.group.urn === group.urn);
  const boxes = own.flatMap((box) => [box.id, `cluster_${gpuClusterOf(box)}`]);
  return { kind: "node group", name: group.name, boxes, urn: group.urn };
}

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
