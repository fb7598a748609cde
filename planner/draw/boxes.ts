import type { NodeGroupBox, Picture } from "./picture";

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

/** The two ends of a path between nodes, GPU groups first. */
export function endsOf(boxes: readonly NodeBox[], groups: readonly string[]): [NodeBox, NodeBox] | undefined {
  const served = boxes.filter((box) => groups.includes(box.group.urn));
  const ordered = [...served.filter((box) => box.group.gpu), ...served.filter((box) => !box.group.gpu)];
  const [first, second] = ordered;
  return first && [first, second ?? first];
}

/** The two ends of a path that is open to the VPC: two groups, in the same subnet if possible. */
export function farEndsOf(boxes: readonly NodeBox[], groups: readonly string[]): [NodeBox, NodeBox] | undefined {
  const served = boxes.filter((box) => groups.includes(box.group.urn));
  const gpu = served.find((box) => box.group.gpu);
  const others = served.filter((box) => !box.group.gpu);
  const other = others.find((box) => box.subnet === gpu?.subnet) ?? others[0];
  return gpu && other ? [other, gpu] : endsOf(boxes, groups);
}
