// Draws the pictures of the labs.
import { bold, cluster, html, linesOf, sameRank, small, statement, type Attributes } from "../planner/draw/dot-syntax";
import { palette } from "../planner/draw/palette";
import { svgOfDot } from "../planner/draw/svg";
/** What a box or an arrow stands for, with its line, its fill and its words in the legend. */
interface KindStyle {
  readonly stroke: string;
  readonly fill: string;
  readonly legend?: string;
  readonly dashed?: boolean;
}

const kinds = {
  plain: { stroke: palette.plain.stroke, fill: palette.plain.fill },
  works: { stroke: palette.public.stroke, fill: palette.public.fill, legend: "works as before" },
  waits: { stroke: palette.gpu.stroke, fill: palette.gpu.fill, legend: "waits" },
  misleads: { stroke: palette.control.stroke, fill: palette.control.fill, legend: "misleading on its own" },
  gone: { stroke: palette.blocked, fill: palette.broken, legend: "missing, blocked or broken", dashed: true },
} satisfies Record<string, KindStyle>;

type Kind = keyof typeof kinds;

type Box = readonly [id: string, kind: Kind, heading: string, ...lines: string[]];
type Group = readonly [id: string, heading: string, ids: readonly string[], attributes?: Attributes];
/** `back` reverses an arrow: Graphviz draws arrows within a row from left to right. */
type Arrow = readonly [from: string, to: string, kind: Kind, label?: string, attributes?: ArrowAttributes];
type ArrowAttributes = Attributes & { readonly back?: boolean };

/** The picture of a lab. */
export interface LabPicture {
  readonly title: string;
  readonly boxes: readonly Box[];
  readonly groups?: readonly Group[];
  readonly arrows: readonly Arrow[];
  /** Ids of boxes that are side by side. */
  readonly rows?: readonly (readonly string[])[];
  /** Inches between the rows. */
  readonly spread?: number;
}

/** The pictures of labs by name, drawn. The result is by path from the project's root. */
export async function drawLabPictures(pictures: Readonly<Record<string, LabPicture>>): Promise<Record<string, string>> {
  const drawn = Object.entries(pictures).map(
    async ([lab, picture]) =>
      [`docs/labs/${lab}.svg`, await svgOfDot(dotOf(lab, picture), `${lab}: ${picture.title}`)] as const,
  );
  return Object.fromEntries(await Promise.all(drawn));
}

const font = { fontname: "Arial", fontcolor: palette.text };

function dotOf(lab: string, { title, boxes, groups = [], arrows, rows = [], spread = 0.5 }: LabPicture): string {
  const grouped = new Set(groups.flatMap(([, , ids]) => ids));
  const drawn = new Map(boxes.map((box) => [box[0], drawBox(box)]));
  const lines = [
    statement("graph", graphStyle(lab, title, spread)),
    statement("node", { ...font, fontsize: 11, shape: "box", margin: "0.12,0.07", penwidth: 1.2 }),
    statement("edge", { ...font, fontsize: 10, arrowsize: 0.7, penwidth: 1.4 }),
    ...groups.flatMap(([id, heading, ids, more]) =>
      cluster(
        id,
        groupStyle(heading, more),
        ids.map((box) => drawn.get(box) ?? quoted(box)),
      ),
    ),
    ...[...drawn].filter(([id]) => !grouped.has(id)).map(([, box]) => box),
    ...arrows.map(drawArrow),
    ...rows.flatMap((row) => sameRank(row.map(quoted))),
    ...drawLegend([...boxes.map(([, kind]) => kind), ...arrows.map(([, , kind]) => kind)], rows.at(-1) ?? []),
  ];
  return ["digraph lab {", ...lines.map((line) => `  ${line}`), "}", ""].join("\n");
}

/** Explains the colors that a picture uses, in a line below its last row. */
function drawLegend(used: readonly Kind[], lastRow: readonly string[]): string[] {
  const cells = Object.entries<KindStyle>(kinds)
    .filter(([kind]) => used.some((one) => one === kind))
    .flatMap(([, { stroke, fill, legend, dashed }]) => {
      if (legend === undefined) return [];
      const style = `BORDER="1" STYLE="ROUNDED${dashed ? ",DASHED" : ""}" COLOR="${stroke}" BGCOLOR="${fill}"`;
      const size = `WIDTH="26" HEIGHT="12" FIXEDSIZE="TRUE" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"`;
      return `<TD><TABLE ${style} ${size}><TR><TD></TD></TR></TABLE></TD><TD ALIGN="LEFT">${small(legend, palette.text)}  </TD>`;
    });
  const table = `<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="3"><TR>${cells.join("")}</TR></TABLE>`;
  return [
    statement("legend", { label: { html: table }, shape: "plain" }),
    ...lastRow.map((id) => statement(`${quoted(id)} -> legend`, { style: "invis" })),
  ];
}

function graphStyle(lab: string, title: string, spread: number): Attributes {
  const heading = `<FONT POINT-SIZE="20">${bold(lab)}</FONT><FONT POINT-SIZE="14" COLOR="${palette.muted}">   ${html(title)}</FONT><BR/><FONT POINT-SIZE="6"> </FONT>`;
  return {
    ...font,
    ...{ fontsize: 12, labelloc: "t", labeljust: "l", newrank: true, compound: true },
    ...{ nodesep: 0.35, ranksep: spread, pad: 0.3, bgcolor: palette.ground },
    label: { html: heading },
  };
}

function groupStyle(heading: string, more: Attributes = {}): Attributes {
  const { stroke, fill } = palette.vpc;
  const box = { style: "rounded,filled", color: stroke, fillcolor: fill, margin: 12 };
  return { label: { html: bold(heading) }, labeljust: "l", ...box, ...more };
}

/** An id that may be a keyword of the language, such as `node`. */
function quoted(id: string): string {
  return `"${id}"`;
}

function drawBox([id, kind, heading, ...lines]: Box): string {
  const { stroke, fill, dashed }: KindStyle = kinds[kind];
  const style = dashed ? "rounded,filled,dashed" : "rounded,filled";
  const label = linesOf([bold(heading), ...lines.map((line) => small(line, palette.text))], 1);
  return statement(quoted(id), { label, style, color: stroke, fillcolor: fill });
}

function drawArrow([from, to, kind, label = "", more = {}]: Arrow): string {
  const { stroke, dashed }: KindStyle = kinds[kind];
  const { back, ...others } = more;
  const head = dashed ? "tee" : "normal";
  const ends: Attributes = back ? { dir: "back", arrowtail: head } : { arrowhead: head };
  const ids = (back ? [to, from] : [from, to]).map(quoted).join(" -> ");
  return statement(ids, {
    color: stroke,
    ...(dashed && { style: "dashed" }),
    ...ends,
    ...(label !== "" && { label: labelOf(label), fontcolor: kind === "plain" ? palette.text : stroke }),
    ...others,
  });
}

/** The spaces keep the text off the line. */
function labelOf(text: string): Attributes[string] {
  const lines = text.split("\n").map((line) => `&#160;${html(line)}&#160;`);
  return { html: lines.join("<BR/>") };
}
