import { boxesOf, controlPlaneId, gatewayId, gpuClusterOf, natId, networkId, subnetsOf } from "./boxes";
import type { Network } from "./networks";
import { subnetText, type NodeGroupBox, type Picture } from "./picture";

/** A part of the picture that stands for resources of the program. A node group may be drawn as several boxes. */
export interface PicturePart {
  readonly kind: "VPC" | "internet gateway" | "subnet" | "NAT gateway" | "node group" | "control plane";
  readonly name: string;
  /** The boxes in Graphviz: ids of nodes, and of boxes around nodes with the prefix `cluster_`. */
  readonly boxes: readonly string[];
  /** URN of the resource that it draws. */
  readonly urn: string;
}

/** The parts of a picture, the outer ones before those in them. What the program does not create is no part. */
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
