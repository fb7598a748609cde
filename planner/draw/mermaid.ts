import { boxesOf, endsOf, farEndsOf, type NodeBox } from "./boxes";
import type { Picture } from "./graph";
import { isStopped, machineLines, pathLines, sizeText, softwareOf } from "./labels";
import type { Network, SubnetBox, Zone } from "./networks";
import { palette } from "./palette";
import type { SecurityPath } from "./security-paths";

/**
 * A picture as a Mermaid flowchart, which GitHub draws from a code block.
 *
 * @see https://mermaid.js.org/syntax/flowchart.html
 */
export function mermaidOf(picture: Picture): string {
  const boxes = boxesOf(picture);
  const edges: Edge[] = [
    ...picture.networks.flatMap((network, index) => networkEdges(network, `net${index}`, boxes)),
    ...picture.paths.flatMap((path) => pathEdges(path, picture, boxes)),
  ];
  const gateways = picture.networks.some((network) => network.internetGateway);
  const lines = [
    ...(gateways ? [node("internet", ["Internet"], "plain")] : []),
    ...picture.networks.flatMap((network, index) => drawNetwork(network, `net${index}`, boxes)),
    ...drawBoxes(boxes.filter((box) => box.subnet === undefined)),
    ...picture.clusters.map((cluster, index) => {
      const version = cluster.version === undefined ? "" : `, Kubernetes ${cluster.version}`;
      const software = index > 0 ? [] : softwareOf(picture).map(([kind, items]) => `${kind}: ${items.join(", ")}`);
      const text = [`EKS control plane ${cluster.name}${version}`, `API endpoint: ${cluster.endpoint}`, ...software];
      return node(`control${index}`, text, "control");
    }),
    ...edges.map(({ text }) => text),
    ...styles(edges),
  ];
  return ["flowchart TB", ...lines.map((line) => `  ${line}`), ""].join("\n");
}

interface Edge {
  readonly text: string;
  readonly color?: string;
}

/** Mermaid reads quotes, number signs and angle brackets as its own: they become entity codes, as its docs say. */
function label(lines: readonly string[]): string {
  const safe = (text: string) =>
    text.replace(/[^\p{L}\p{N} .,:;/()=+_-]/gu, (char) => `#${char.codePointAt(0)};`).trim();
  return `"${lines.map(safe).join("<br/>")}"`;
}

function node(id: string, lines: readonly string[], style: string): string {
  return `${id}[${label(lines)}]:::${style}`;
}

function subgraph(id: string, title: string, style: string, content: readonly string[]): string[] {
  const direction = style === "gpu" ? ["direction LR"] : [];
  const inside = [...direction, ...content].map((line) => `  ${line}`);
  return [`subgraph ${id}[${label([title])}]`, ...inside, "end", `class ${id} ${style}`];
}

function drawNetwork(network: Network, id: string, boxes: readonly NodeBox[]): string[] {
  const title = [network.existing ? "" : "VPC", network.name, network.cidr ?? ""].filter(Boolean).join(" ");
  return subgraph(id, title, "vpc", [
    ...(network.internetGateway ? [node(`${id}_gateway`, ["internet gateway"], "plain")] : []),
    ...network.zones.flatMap((zone, z) => drawZone(zone, `${id}_${z}`, boxes)),
  ]);
}

function drawZone(zone: Zone, id: string, boxes: readonly NodeBox[]): string[] {
  return subgraph(
    id,
    zone.name,
    "zone",
    zone.subnets.flatMap((subnet, s) => drawSubnet(subnet, `${id}_${s}`, boxes)),
  );
}

function drawSubnet(subnet: SubnetBox, id: string, boxes: readonly NodeBox[]): string[] {
  const inside = boxes.filter((box) => box.subnet === subnet.id);
  const title = `${subnet.kind} ${subnet.cidr ?? subnet.name}`;
  const nats = subnet.natGateways.map((_, index) => node(`${id}_nat${index}`, ["NAT gateway"], "plain"));
  // A subgraph without a node would be drawn as a plain box beside the others.
  if (inside.length + nats.length === 0) return [node(id, [title], subnet.kind)];
  return subgraph(id, title, subnet.kind, [...nats, ...drawBoxes(inside)]);
}

function drawBoxes(boxes: readonly NodeBox[]): string[] {
  const groups = [...new Set(boxes.map((box) => box.group))];
  return groups.flatMap((group) => {
    const own = boxes.filter((box) => box.group === group);
    const style = isStopped(group) ? "stopped" : "plain";
    const text = [group.name, ...machineLines(group), sizeText(group)];
    if (group.gpu === undefined) return own.map((box) => node(box.id, text, style));
    const title = text.join(", ");
    return subgraph(
      `gpu_${own[0]?.id}`,
      title,
      "gpu",
      own.map((box) => node(box.id, [box.node ?? group.name], style)),
    );
  });
}

function networkEdges(network: Network, id: string, boxes: readonly NodeBox[]): Edge[] {
  const subnets = network.zones.flatMap((zone, z) =>
    zone.subnets.map((subnet, s) => ({ subnet, id: `${id}_${z}_${s}` })),
  );
  const nats = new Map(subnets.flatMap((one) => one.subnet.natGateways.map((nat, n) => [nat, `${one.id}_nat${n}`])));
  const gateway = `${id}_gateway`;
  const used = subnets.filter(({ subnet }) => boxes.some((box) => box.subnet === subnet.id));
  return [
    ...(network.internetGateway ? [{ text: `internet <--> ${gateway}` }] : []),
    ...(network.internetGateway ? [...nats.values()].map((nat) => ({ text: `${gateway} --- ${nat}` })) : []),
    ...used.flatMap((one) =>
      one.subnet.natRoutes.flatMap((nat) => {
        const from = nats.get(nat);
        return from === undefined || from.startsWith(`${one.id}_`) ? [] : [{ text: `${from} --- ${one.id}` }];
      }),
    ),
  ];
}

function pathEdges(path: SecurityPath, picture: Picture, boxes: readonly NodeBox[]): Edge[] {
  const text = label([pathLines(path).join(": ")]);
  if (path.kind === "control-plane") {
    if (picture.clusters.length === 0) return [];
    const served = boxes.filter((box) => path.nodeGroups.includes(box.group.urn));
    const targets = [...new Set(served.map((box) => (box.group.gpu ? `gpu_${firstOf(box, served).id}` : box.id)))];
    return targets.map((target) => ({ text: `${target} <-- ${text} --- control0`, color: palette.control.stroke }));
  }
  const ends = path.kind === "vpc-wide" ? farEndsOf(boxes, path.nodeGroups) : endsOf(boxes, path.nodeGroups);
  if (!ends) return [];
  const [from, to] = ends;
  if (path.state === "blocked") return [{ text: `${from.id} x-. ${text} .-x ${to.id}`, color: palette.blocked }];
  const color = path.kind === "vpc-wide" ? palette.vpcWide : palette.nodeToNode;
  return [{ text: `${from.id} <-- ${text} --> ${to.id}`, color }];
}

/** The first box of the group in the same place: the box around its nodes has its name. */
function firstOf(box: NodeBox, boxes: readonly NodeBox[]): NodeBox {
  return boxes.find((one) => one.group === box.group && one.subnet === box.subnet) ?? box;
}

function styles(edges: readonly Edge[]): string[] {
  const style = (name: string, { stroke, fill }: { stroke: string; fill: string }, more = "") =>
    `classDef ${name} fill:${fill},stroke:${stroke},color:${palette.text}${more}`;
  return [
    style("vpc", palette.vpc),
    style("zone", palette.zone, ",stroke-dasharray:5 3"),
    style("public", palette.public),
    style("private", palette.private),
    style("gpu", palette.gpu),
    style("control", palette.control),
    style("plain", palette.plain),
    style("stopped", palette.plain, ",stroke-dasharray:5 3"),
    ...edges.flatMap(({ color }, index) =>
      color === undefined ? [] : [`linkStyle ${index} stroke:${color},color:${color}`],
    ),
  ];
}
