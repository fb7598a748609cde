import { indented, wrapped } from "../../components/core/text";
import { boxesIn, boxesOf, controlPlaneId, endsOf, gpuClusterOf, looseIn, networkId, type NodeBox } from "./boxes";
import { drawNetwork, lowestOf, type DrawnNetwork } from "./dot-network";
import { bold, html, linesOf, sameRank, statement, type Attributes, type HtmlLabel } from "./dot-syntax";
import {
  hasInternet,
  isStopped,
  nothingToDraw,
  pathLines,
  controlPlaneLines,
  type ClusterBox,
  type Picture,
} from "./picture";
import { palette } from "./palette";
import type { SecurityPath } from "./security-paths";

/** A picture in the language of Graphviz: the internet above the nodes, the control plane below them. */
export function dotOf(picture: Picture): string {
  const boxes = boxesOf(picture);
  const networks = picture.networks.map((network, index) =>
    drawNetwork(network, networkId(index), boxes, looseIn(index, boxes)),
  );
  const lines = [
    statement("graph", graphStyle(picture)),
    statement("node", nodeStyle),
    statement("edge", edgeStyle),
    ...internet(networks),
    ...networks.flatMap((network) => [...network.lines, ...arrangement(network), ...egress(network)]),
    ...below(picture, boxes),
    ...picture.paths.flatMap((path) => drawPath(path, picture, boxes)),
    ...sameRank(boxes.map(({ id }) => id)),
  ];
  return ["digraph plan {", ...indented(lines), "}", ""].join("\n");
}

const font = { fontname: "Arial", fontcolor: palette.text };

const nodeStyle: Attributes = {
  ...font,
  fontsize: 11,
  shape: "box",
  style: "rounded,filled",
  color: palette.plain.stroke,
  fillcolor: palette.plain.fill,
  margin: "0.12,0.06",
  height: 0.4,
};

const edgeStyle: Attributes = { ...font, fontsize: 10, color: palette.muted, arrowsize: 0.7, penwidth: 1.2 };

const hidden: Attributes = { style: "invis" };

function graphStyle(picture: Picture): Attributes {
  const region = `<FONT POINT-SIZE="14" COLOR="${palette.muted}">   ${html(picture.region)}</FONT>`;
  return {
    ...font,
    fontsize: 12,
    label: { html: `<FONT POINT-SIZE="20">${bold(picture.title)}</FONT>${region}` },
    labelloc: "t",
    labeljust: "l",
    rankdir: "TB",
    newrank: true,
    compound: true,
    nodesep: 0.3,
    ranksep: 0.35,
    pad: 0.3,
    bgcolor: palette.ground,
  };
}

function internet(networks: readonly DrawnNetwork[]): string[] {
  const gateways = networks.map((network) => network.gateway).filter((gateway) => gateway !== undefined);
  if (gateways.length === 0) return [];
  const label = statement("internet", { label: { html: bold("Internet") }, fillcolor: palette.vpc.fill });
  return [label, ...gateways.map((gateway) => statement(`internet -> ${gateway}`, { dir: "both" }))];
}

/** Invisible lines that keep the gateway above the public subnets, and these above the private ones. */
function arrangement(network: DrawnNetwork): string[] {
  const { gateway, publicRow, nats } = network;
  const down = gateway === undefined ? [] : publicRow.filter((one) => !nats.some(({ node }) => node === one));
  return [
    ...down.map((node) => statement(`${gateway} -> ${node}`, hidden)),
    ...network.columns.map(([above, under]) => statement(`${above} -> ${under}`, hidden)),
  ];
}

function egress(network: DrawnNetwork): string[] {
  const { gateway, nats } = network;
  return [
    ...(gateway === undefined ? [] : nats).map(({ node, cluster }) =>
      statement(`${gateway} -> ${node}`, { dir: "back", lhead: cluster, weight: 4 }),
    ),
    ...network.egress.map(({ nat, node, cluster }) =>
      statement(`${nat} -> ${node}`, { dir: "back", lhead: cluster, constraint: false }),
    ),
  ];
}

/** Control planes and the legend, in a row below the networks. */
function below(picture: Picture, boxes: readonly NodeBox[]): string[] {
  const legend = legendLabel(picture);
  const ids = [...picture.clusters.map((_, index) => controlPlaneId(index)), ...(legend ? ["legend"] : [])];
  return [
    ...picture.clusters.map((cluster, index) =>
      statement(controlPlaneId(index), controlPlane(picture, cluster, index)),
    ),
    ...(legend ? [statement("legend", { label: legend, shape: "plain" })] : []),
    ...sameRank(ids),
    ...holdDown(picture, boxes, ids[0]),
    ...(ids.length + picture.networks.length === 0 ? [statement("nothing", { label: nothingToDraw })] : []),
  ];
}

/** Invisible lines that keep that row below the networks when no visible line does. */
function holdDown(picture: Picture, boxes: readonly NodeBox[], first: string | undefined): string[] {
  const pulled = picture.clusters.length > 0 && picture.paths.some(({ kind }) => kind === "control-plane");
  if (first === undefined || pulled) return [];
  const above = picture.networks.flatMap((network, index) => {
    const loose = looseIn(index, boxes).map((box) => box.id);
    return loose.length > 0 ? loose : lowestOf(network, networkId(index), boxes);
  });
  return above.map((node) => statement(`${node} -> ${first}`, hidden));
}

function controlPlane(picture: Picture, cluster: ClusterBox, index: number): Attributes {
  const [name = "", ...lines] = controlPlaneLines(picture, cluster, index);
  const label = linesOf([
    `${bold("EKS control plane")}  ${html(name)}`,
    ...lines.flatMap((line) => wrapped(line, 84)).map(html),
  ]);
  return { label, color: palette.control.stroke, fillcolor: palette.control.fill };
}

function drawPath(path: SecurityPath, picture: Picture, boxes: readonly NodeBox[]): string[] {
  // The spaces separate the text from the boxes at both ends.
  const label = {
    html: pathLines(path)
      .map((line) => `&#160;&#160;${html(line)}&#160;&#160;`)
      .join("<BR/>"),
  };
  if (path.kind === "control-plane") return fromControlPlane(path, picture, boxes, label);
  const ends = endsOf(boxes, path);
  if (!ends) return [];
  const color =
    path.state === "blocked" ? palette.blocked : palette[path.kind === "vpc-wide" ? "vpcWide" : "nodeToNode"];
  const style: Record<string, string> =
    path.state === "blocked" ? { style: "dashed", arrowhead: "tee", arrowtail: "tee" } : {};
  const [from, to] = ends;
  return [
    statement(`${from.id} -> ${to.id}`, { dir: "both", label, color, fontcolor: color, penwidth: 1.8, ...style }),
  ];
}

/** One line to each subnet of the groups; one of them has the ports as its label. */
function fromControlPlane(path: SecurityPath, picture: Picture, boxes: readonly NodeBox[], label: { html: string }) {
  if (picture.clusters.length === 0) return [];
  const color = palette.control.stroke;
  const served = boxesIn(boxes, path);
  const ends = served.filter(
    ({ group, subnet }, at) => at === served.findIndex((one) => one.group === group && one.subnet === subnet),
  );
  const labelled = ends.find((box) => box.group.gpu) ?? ends[0];
  return ends.map((box) =>
    statement(`${box.id} -> ${controlPlaneId(0)}`, {
      dir: "back",
      color,
      ...(box.group.gpu && { ltail: `cluster_${gpuClusterOf(box)}` }),
      ...(box === labelled && { label, fontcolor: color }),
    }),
  );
}

/** Explains the kinds of lines and boxes in this picture; `undefined` when there are none. */
function legendLabel(picture: Picture): HtmlLabel | undefined {
  const has = (kind: string, state: string) => picture.paths.some((path) => path.kind === kind && path.state === state);
  const rows = [
    ...(picture.clusters.length > 0 && has("control-plane", "open")
      ? [line(palette.control.stroke, "control plane to nodes")]
      : []),
    ...(has("node-to-node", "open") ? [line(palette.nodeToNode, "node to node")] : []),
    ...(has("vpc-wide", "open") ? [line(palette.vpcWide, "any VPC address to nodes")] : []),
    ...(has("node-to-node", "blocked") ? [dashes(palette.blocked, "blocked: no rule allows it")] : []),
    ...(hasInternet(picture) ? [line(palette.muted, "route to the internet")] : []),
    ...(picture.nodeGroups.some(isStopped) ? [box("dashed: desired size 0")] : []),
  ];
  if (rows.length === 0) return undefined;
  return { html: `<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="2">${rows.join("")}</TABLE>` };
}

function line(color: string, text: string): string {
  return row(
    `<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="0"><TR><TD BGCOLOR="${color}" WIDTH="26" HEIGHT="3" FIXEDSIZE="TRUE"></TD></TR></TABLE>`,
    text,
  );
}

function dashes(color: string, text: string): string {
  const dash = `<TD BGCOLOR="${color}" WIDTH="6" HEIGHT="3" FIXEDSIZE="TRUE"></TD>`;
  return row(
    `<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="4" CELLPADDING="0"><TR>${dash.repeat(3)}</TR></TABLE>`,
    text,
  );
}

function box(text: string): string {
  const style = `BORDER="1" STYLE="ROUNDED,DASHED" COLOR="${palette.plain.stroke}" WIDTH="26" HEIGHT="12" FIXEDSIZE="TRUE"`;
  return row(`<TABLE ${style} CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR><TD></TD></TR></TABLE>`, text);
}

function row(sample: string, text: string): string {
  return `<TR><TD WIDTH="34">${sample}</TD><TD ALIGN="LEFT"><FONT POINT-SIZE="10" COLOR="${palette.muted}">${html(text)}</FONT></TD></TR>`;
}
