import { gatewayId, gpuClusterOf, natId, subnetsOf, type NodeBox } from "./boxes";
import { bold, cluster, html, linesOf, small, statement, type Attributes, type HtmlLabel } from "./dot-syntax";
import { isStopped, machineLines, sizeText, subnetText, type NodeGroupBox } from "./picture";
import type { Network, SubnetBox, Zone } from "./networks";
import { palette } from "./palette";

/** The statements of a network, and the ids of its parts. */
export interface DrawnNetwork {
  readonly lines: readonly string[];
  readonly gateway?: string;
  /** One node of each public subnet, in order of the zones. */
  readonly publicRow: readonly string[];
  /** Pairs of nodes, one above the other. */
  readonly columns: readonly (readonly [above: string, below: string])[];
  /** A NAT gateway and the subnet whose traffic leaves through it. */
  readonly egress: readonly { readonly nat: string; readonly node: string; readonly cluster: string }[];
  readonly nats: readonly { readonly node: string; readonly cluster: string }[];
}

/**
 * A VPC as nested boxes: zones, their subnets, and in these the node groups.
 *
 * @param boxes the node boxes of all networks
 * @param loose the node boxes of this network whose subnet is not known yet
 */
export function drawNetwork(
  network: Network,
  id: string,
  boxes: readonly NodeBox[],
  loose: readonly NodeBox[],
): DrawnNetwork {
  const subnets = subnetsOf(network, id);
  const idOf = new Map(subnets.map(({ subnet, id: subnetId }) => [subnet.id, subnetId]));
  const natOf = new Map(subnets.flatMap((one) => one.subnet.natGateways.map((nat, n) => [nat, natId(one.id, n)])));
  const firstNode = (subnet: SubnetBox) => firstNodeOf(subnet, idOf.get(subnet.id) ?? "", boxes);
  const zones = network.zones.flatMap((zone, z) => drawZone(zone, `${id}_${z}`, boxes));
  const gateway = network.internetGateway ? gatewayId(id) : undefined;
  const inside = [
    ...(gateway === undefined ? [] : [statement(gateway, { label: "internet gateway" })]),
    ...zones,
    ...drawGroups(loose),
  ];
  return {
    lines: cluster(id, networkStyle(network), inside.length === 0 ? [placeholder(id)] : inside),
    ...(gateway !== undefined && { gateway }),
    publicRow: network.zones.flatMap((zone) => zone.subnets.filter(isPublic).slice(0, 1).map(firstNode)),
    columns: network.zones.flatMap((zone) => columnsOf(zone, boxes, firstNode)),
    egress: subnets.flatMap(({ subnet, id: subnetId }) =>
      subnet.natRoutes.flatMap((nat) => {
        const from = natOf.get(nat);
        return from === undefined ? [] : [{ nat: from, node: firstNode(subnet), cluster: `cluster_${subnetId}` }];
      }),
    ),
    nats: [...natOf.values()].map((node) => ({ node, cluster: `cluster_${node.replace(/_nat\d+$/, "")}` })),
  };
}

const isPublic = (subnet: SubnetBox): boolean => subnet.kind === "public";

function networkStyle(network: Network): Attributes {
  const name = network.existing ? bold(network.name) : `${bold("VPC")} ${html(network.name)}`;
  const cidr = network.cidr === undefined ? "" : ` ${html(network.cidr)}`;
  return boxStyle(`${name} ${cidr}`, palette.vpc, network.existing ? "rounded,filled,dashed" : "rounded,filled");
}

function boxStyle(label: string, color: { stroke: string; fill: string }, style = "rounded,filled"): Attributes {
  return { label: { html: label }, labeljust: "l", style, color: color.stroke, fillcolor: color.fill, margin: 10 };
}

function drawZone(zone: Zone, id: string, boxes: readonly NodeBox[]): string[] {
  const subnets = zone.subnets.flatMap((subnet, index) => drawSubnet(subnet, `${id}_${index}`, boxes));
  return cluster(id, boxStyle(bold(zone.name), palette.zone, "rounded,filled,dashed"), subnets);
}

function drawSubnet(subnet: SubnetBox, id: string, boxes: readonly NodeBox[]): string[] {
  const inside = boxes.filter((box) => box.subnet === subnet.id);
  const nats = subnet.natGateways.map((_, index) => statement(natId(id, index), { label: "NAT gateway" }));
  const empty = inside.length === 0 && nats.length === 0;
  return cluster(id, boxStyle(html(subnetText(subnet)), palette[subnet.kind]), [
    ...nats,
    ...drawGroups(inside),
    ...(empty ? [placeholder(id)] : []),
  ]);
}

/** The nodes of the network's lowest row. */
export function lowestOf(network: Network, id: string, boxes: readonly NodeBox[]): string[] {
  const subnets = subnetsOf(network, id);
  if (subnets.length === 0) return [network.internetGateway ? gatewayId(id) : `${id}_empty`];
  return subnets.map((one) => firstNodeOf(one.subnet, one.id, boxes));
}

/** Graphviz does not draw a box without a node. */
function placeholder(id: string): string {
  return statement(`${id}_empty`, { label: "", style: "invis", width: 0.9, height: 0.1 });
}

/** The boxes of one place: a GPU group is a box around its nodes. */
function drawGroups(boxes: readonly NodeBox[]): string[] {
  const groups = [...new Set(boxes.map((box) => box.group))];
  // Ordinary groups first, so that the path between two groups does not cross the GPU nodes.
  const ordered = [...groups.filter((group) => !group.gpu), ...groups.filter((group) => group.gpu)];
  return ordered.flatMap((group) => {
    const own = boxes.filter((box) => box.group === group);
    if (group.gpu === undefined) return own.map((box) => statement(box.id, groupStyle(group)));
    const nodes = own.map((box) => statement(box.id, { label: box.node ?? group.name, style: nodeStyle(group) }));
    return cluster(gpuClusterOf(own[0]), gpuStyle(group), nodes);
  });
}

function nodeStyle(group: NodeGroupBox): string {
  return isStopped(group) ? "rounded,filled,dashed" : "rounded,filled";
}

function groupStyle(group: NodeGroupBox): Attributes {
  return { label: groupLabel(group), style: nodeStyle(group), margin: "0.06,0.04" };
}

function gpuStyle(group: NodeGroupBox): Attributes {
  return { ...boxStyle("", palette.gpu, nodeStyle(group)), label: groupLabel(group) };
}

function groupLabel(group: NodeGroupBox): HtmlLabel {
  return linesOf([bold(group.name), ...machineLines(group).map(html), small(sizeText(group), palette.text)], 1);
}

function firstNodeOf(subnet: SubnetBox, id: string, boxes: readonly NodeBox[]): string {
  if (subnet.natGateways.length > 0) return natId(id, 0);
  return boxes.find((box) => box.subnet === subnet.id)?.id ?? `${id}_empty`;
}

/** Public subnets above private ones. */
function columnsOf(
  zone: Zone,
  boxes: readonly NodeBox[],
  firstNode: (subnet: SubnetBox) => string,
): (readonly [string, string])[] {
  const above = zone.subnets.find(isPublic);
  if (!above) return [];
  return zone.subnets
    .filter((subnet) => !isPublic(subnet))
    .flatMap((subnet) => {
      const inside = boxes.filter((box) => box.subnet === subnet.id).map((box) => box.id);
      return (inside.length > 0 ? inside : [firstNode(subnet)]).map((below) => [firstNode(above), below] as const);
    });
}
