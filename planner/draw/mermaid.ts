import { boxesIn, boxesOf, controlPlaneId, endsOf, looseIn, subnetsOf, type NodeBox } from "./boxes";
import {
  controlPlaneLines,
  isStopped,
  machineLines,
  nothingToDraw,
  pathLines,
  sizeText,
  subnetText,
  type Picture,
} from "./picture";
import type { Network, SubnetBox, Zone } from "./networks";
import { palette } from "./palette";
import type { SecurityPath } from "./security-paths";

/** A picture as a Mermaid flowchart, which GitHub draws from a code block. */
export function mermaidOf(picture: Picture): string {
  const boxes = boxesOf(picture);
  const parts = [
    ...(picture.networks.some((network) => network.internetGateway) ? [node("internet", ["Internet"], "plain")] : []),
    ...picture.networks.flatMap((network, index) => drawNetwork(network, `net${index}`, boxes, looseIn(index, boxes))),
    ...picture.clusters.map((cluster, index) => {
      const [name, ...lines] = controlPlaneLines(picture, cluster, index);
      return node(controlPlaneId(index), [`EKS control plane ${name}`, ...lines], "control");
    }),
  ];
  const edges = [
    ...picture.networks.flatMap((network, index) => networkEdges(network, `net${index}`, boxes)),
    ...picture.paths.flatMap((path) => pathEdges(path, picture, boxes)),
  ];
  return flowchart(parts.length === 0 ? [node("nothing", [nothingToDraw], "plain")] : parts, edges);
}

function drawNetwork(network: Network, id: string, boxes: readonly NodeBox[], loose: readonly NodeBox[]): string[] {
  const title = [network.existing ? "" : "VPC", network.name, network.cidr ?? ""].filter(Boolean).join(" ");
  const zones = network.zones.flatMap((zone, z) => drawZone(zone, `${id}_${z}`, boxes));
  const gateway = network.internetGateway ? [node(`${id}_gateway`, ["internet gateway"], "plain")] : [];
  const inside = [...gateway, ...zones, ...drawBoxes(loose)];
  // A subgraph needs a node inside.
  return inside.length === 0 ? [node(id, [title], "vpc")] : subgraph(id, title, "vpc", inside);
}

function drawZone(zone: Zone, id: string, boxes: readonly NodeBox[]): string[] {
  const subnets = zone.subnets.flatMap((subnet, s) => drawSubnet(subnet, `${id}_${s}`, boxes));
  return subgraph(id, zone.name, "zone", subnets);
}

function drawSubnet(subnet: SubnetBox, id: string, boxes: readonly NodeBox[]): string[] {
  const inside = boxes.filter((box) => box.subnet === subnet.id);
  const title = subnetText(subnet);
  const nats = subnet.natGateways.map((_, index) => node(`${id}_nat${index}`, ["NAT gateway"], "plain"));
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
    const nodes = own.map((box) => node(box.id, [box.node ?? group.name], style));
    return subgraph(`gpu_${own[0]?.id}`, text.join(", "), "gpu", ["direction LR", ...nodes]);
  });
}

function networkEdges(network: Network, id: string, boxes: readonly NodeBox[]): Edge[] {
  const subnets = subnetsOf(network, id);
  const nats = subnets.flatMap((one) => one.subnet.natGateways.map((nat, n) => ({ nat, id: `${one.id}_nat${n}` })));
  const routes = subnets
    .filter(({ subnet }) => boxes.some((box) => box.subnet === subnet.id))
    .flatMap(({ subnet, id: below }) =>
      nats.filter(({ nat }) => subnet.natRoutes.includes(nat)).map((nat) => [nat.id, below]),
    );
  return [
    ...(network.internetGateway ? [{ text: `internet <--> ${id}_gateway` }] : []),
    ...(network.internetGateway ? nats.map((nat) => ({ text: `${id}_gateway --- ${nat.id}` })) : []),
    ...routes.map(([nat, below]) => ({ text: `${nat} --- ${below}` })),
    ...network.zones.flatMap((zone, z) => stacked(zone, `${id}_${z}`)),
  ];
}

/** Invisible lines that keep public subnets above private ones. */
function stacked(zone: Zone, id: string): Edge[] {
  const above = zone.subnets.findIndex(({ kind }) => kind === "public");
  if (above < 0) return [];
  return zone.subnets.flatMap(({ kind }, s) => (kind === "public" ? [] : [{ text: `${id}_${above} ~~~ ${id}_${s}` }]));
}

function pathEdges(path: SecurityPath, picture: Picture, boxes: readonly NodeBox[]): Edge[] {
  const text = label([pathLines(path).join(": ")]);
  if (path.kind === "control-plane") return fromControlPlane(path, text, picture, boxes);
  const ends = endsOf(boxes, path);
  if (!ends) return [];
  const [from, to] =
    ends[0].group === ends[1].group ? ends.map(({ id }) => id) : ends.map((box) => outside(box, boxes));
  if (path.state === "blocked") return [{ text: `${from} x-. ${text} .-x ${to}`, color: palette.blocked }];
  const color = path.kind === "vpc-wide" ? palette.vpcWide : palette.nodeToNode;
  return [{ text: `${from} <-- ${text} --> ${to}`, color }];
}

/** One line to each subnet of the groups; the first one, to GPU nodes if possible, has the ports as its label. */
function fromControlPlane(path: SecurityPath, text: string, picture: Picture, boxes: readonly NodeBox[]): Edge[] {
  if (picture.clusters.length === 0) return [];
  const served = boxesIn(boxes, path);
  const gpuFirst = [...served.filter((box) => box.group.gpu), ...served.filter((box) => !box.group.gpu)];
  const targets = [...new Set(gpuFirst.map((box) => outside(box, boxes)))];
  const color = palette.control.stroke;
  return targets.map((target, index) => ({ text: `control0 ${index === 0 ? `-- ${text} ` : ""}--> ${target}`, color }));
}

/** The end of a line from outside: the box around GPU nodes. A line to one of the nodes would change their layout. */
function outside(box: NodeBox, boxes: readonly NodeBox[]): string {
  if (box.group.gpu === undefined) return box.id;
  const first = boxes.find((one) => one.group === box.group && one.subnet === box.subnet) ?? box;
  return `gpu_${first.id}`;
}

/** The language of Mermaid flowcharts. @see https://mermaid.js.org/syntax/flowchart.html */

interface Edge {
  readonly text: string;
  readonly color?: string;
}

/** Classes of nodes and subgraphs. */
type Style = "vpc" | "zone" | "public" | "private" | "existing" | "gpu" | "control" | "plain" | "stopped";

/** A quoted string. Characters with a meaning in Mermaid or HTML become entity codes. */
function label(lines: readonly string[]): string {
  const safe = (text: string) => text.replace(/[^\p{L}\p{N} .,:;/()=+_-]/gu, (char) => `#${char.codePointAt(0)};`);
  return `"${lines.map(safe).join("<br/>")}"`;
}

function node(id: string, lines: readonly string[], style: Style): string {
  return `${id}[${label(lines)}]:::${style}`;
}

function subgraph(id: string, title: string, style: Style, content: readonly string[]): string[] {
  return [`subgraph ${id}[${label([title])}]`, ...content.map((line) => `  ${line}`), "end", `class ${id} ${style}`];
}

/** The same colors on light and dark pages. */
const theme = {
  theme: "base",
  themeVariables: { edgeLabelBackground: palette.ground, lineColor: palette.zone.stroke },
};

/** Puts a flowchart together. */
function flowchart(parts: readonly string[], edges: readonly Edge[]): string {
  // A line to a subgraph removes its class, so classes come after all lines.
  const isClass = (line: string) => /^ *class /.test(line);
  const lines = [
    ...parts.filter((line) => !isClass(line)),
    ...edges.map(({ text }) => text),
    ...parts.filter(isClass).map((line) => line.trim()),
    ...classDefinitions,
    ...edges.flatMap(({ color }, index) =>
      color === undefined ? [] : [`linkStyle ${index} stroke:${color},color:${color}`],
    ),
  ];
  return [`%%{init: ${JSON.stringify(theme)}}%%`, "flowchart TB", ...lines.map((line) => `  ${line}`), ""].join("\n");
}

const dashed = ",stroke-dasharray:5 3";

const classDefinitions = [
  define("vpc", palette.vpc),
  define("zone", palette.zone, dashed),
  define("public", palette.public),
  define("private", palette.private),
  define("existing", palette.existing),
  define("gpu", palette.gpu),
  define("control", palette.control),
  define("plain", palette.plain),
  define("stopped", palette.plain, dashed),
];

function define(style: Style, { stroke, fill }: { stroke: string; fill: string }, more = ""): string {
  return `classDef ${style} fill:${fill},stroke:${stroke},color:${palette.text}${more}`;
}
