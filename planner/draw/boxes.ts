import type { Network, SubnetBox } from "./networks";
import type { NodeGroupBox, Picture } from "./picture";
import type { SecurityPath } from "./security-paths";

/** One box of the diagram: a node group in one of its subnets, or one node of a GPU group. */
export interface NodeBox {
  readonly id: string;
  readonly group: NodeGroupBox;
  /** The subnet that it runs in; absent when it is not known yet. */
  readonly subnet?: string;
  /** `node 1` of a GPU group. */
  readonly node?: string;
}

/**
 * The boxes of all node groups. A GPU group that runs in one subnet is drawn as its first node and its other nodes,
 * so that the path between two nodes can be seen; any other group is one box in each of its subnets.
 */
export function boxesOf(picture: Picture): NodeBox[] {
  return picture.nodeGroups.flatMap((group, index) => {
    const places = group.subnets.length === 0 ? [undefined] : group.subnets;
    return places.flatMap((subnet, place) =>
      nodesOf(group, places.length).map((node, position) => ({
        id: `group${index}_${place}_${position}`,
        group,
        ...(subnet !== undefined && { subnet }),
        ...(node !== undefined && { node }),
      })),
    );
  });
}

/** The boxes with an unknown subnet, which are drawn in the first network. */
export function looseIn(network: number, boxes: readonly NodeBox[]): readonly NodeBox[] {
  return network === 0 ? boxes.filter((box) => box.subnet === undefined) : [];
}

function nodesOf(group: NodeGroupBox, places: number): readonly (string | undefined)[] {
  if (group.gpu === undefined) return [undefined];
  const { max } = group.size;
  if (places > 1 || (max !== undefined && max < 2)) return ["GPU node"];
  return ["GPU node 1", max === 2 ? "GPU node 2" : `GPU nodes 2 to ${max ?? "n"}`];
}

/** The boxes of some node groups. */
export function boxesIn(boxes: readonly NodeBox[], { nodeGroups }: SecurityPath): readonly NodeBox[] {
  return boxes.filter((box) => nodeGroups.includes(box.group.urn));
}

/** The two ends of a path: GPU groups first, or in the same subnet if possible where it is open to the VPC. */
export function endsOf(boxes: readonly NodeBox[], path: SecurityPath): [NodeBox, NodeBox] | undefined {
  const served = boxesIn(boxes, path);
  const gpus = served.filter((box) => box.group.gpu);
  const others = served.filter((box) => !box.group.gpu);
  const [gpu] = gpus;
  const other = others.find((box) => box.subnet === gpu?.subnet) ?? others[0];
  if (path.kind === "vpc-wide" && gpu && other) return [other, gpu];
  const [first, second] = [...gpus, ...others];
  return first && [first, second ?? first];
}

/** The ids of what is drawn: nodes, and boxes around nodes, which Graphviz knows as `cluster_` and the id. */

export function networkId(index: number): string {
  return `net${index}`;
}

export function gatewayId(network: string): string {
  return `${network}_gateway`;
}

/** The subnets of a network in the order of its zones. */
export function subnetsOf(network: Network, id: string): { readonly subnet: SubnetBox; readonly id: string }[] {
  return network.zones.flatMap((zone, z) => zone.subnets.map((subnet, s) => ({ subnet, id: `${id}_${z}_${s}` })));
}

export function natId(subnet: string, index: number): string {
  return `${subnet}_nat${index}`;
}

/** Id of the box around the nodes of a GPU group, of which this is the first. */
export function gpuClusterOf(box: NodeBox | undefined): string {
  return `gpu_${box?.id ?? ""}`;
}

export function controlPlaneId(index: number): string {
  return `control${index}`;
}
