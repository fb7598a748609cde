// The pictures of the labs: what each accident is made of. Their descriptions stand in docs/labs/pictures, a file a lab;
// here is what boxes and arrows look like. scripts/docs.mjs writes them.
import { readdirSync } from "node:fs";
import { loadBundled } from "./bundled.mjs";

const { bold, cluster, html, linesOf, sameRank, small, statement } = loadBundled("planner/draw/dot-syntax.ts");
const { palette } = loadBundled("planner/draw/palette.ts");
const { svgOfDot } = loadBundled("planner/draw/svg.ts");

const descriptions = new URL("../docs/labs/pictures/", import.meta.url);

/** The pictures, by path from the project's root. */
export async function labPictures() {
  const files = readdirSync(descriptions).filter((file) => file.endsWith(".mjs"));
  const drawn = files.map(async (file) => {
    const lab = file.replace(/\.mjs$/, "");
    const { picture } = await import(new URL(file, descriptions).href);
    return [`docs/labs/${lab}.svg`, await svgOfDot(dotOf(lab, picture), `${lab}: ${picture.title}`)];
  });
  return Object.fromEntries(await Promise.all(drawn));
}

/** What a box or an arrow stands for, with its line, its fill and its words in the legend. */
const kinds = {
  plain: { stroke: palette.plain.stroke, fill: palette.plain.fill },
  works: { stroke: palette.public.stroke, fill: palette.public.fill, legend: "works as before" },
  waits: { stroke: palette.gpu.stroke, fill: palette.gpu.fill, legend: "waits" },
  misleads: { stroke: palette.control.stroke, fill: palette.control.fill, legend: "misleads whoever looks here alone" },
  gone: { stroke: palette.blocked, fill: "#ffebe9", legend: "gone, closed or broken", dashed: true },
};

const font = { fontname: "Arial", fontcolor: palette.text };

/**
 * A picture is `{ title, boxes, groups, arrows, rows, spread }`. A box is `[id, kind, heading, ...lines]`; a group `[id,
 * heading, ids, attributes]`; an arrow `[from, to, kind, label, attributes]`; a row the ids that stand side by side;
 * `spread` inches are between the rows.
 */
function dotOf(lab, { title, boxes, groups = [], arrows, rows = [], spread = 0.5 }) {
  const grouped = new Set(groups.flatMap(([, , ids]) => ids));
  const drawn = new Map(boxes.map(([id, ...box]) => [id, drawBox(id, ...box)]));
  const lines = [
    statement("graph", graphStyle(lab, title, spread)),
    statement("node", { ...font, fontsize: 11, shape: "box", margin: "0.12,0.07", penwidth: 1.2 }),
    statement("edge", { ...font, fontsize: 10, arrowsize: 0.7, penwidth: 1.4 }),
    ...groups.flatMap(([id, heading, ids, more]) =>
      cluster(
        id,
        groupStyle(heading, more),
        ids.map((one) => drawn.get(one)),
      ),
    ),
    ...[...drawn].filter(([id]) => !grouped.has(id)).map(([, box]) => box),
    ...arrows.map((arrow) => drawArrow(...arrow)),
    ...rows.flatMap((row) => sameRank(row)),
    ...drawLegend([...boxes.map(([, kind]) => kind), ...arrows.map(([, , kind]) => kind)], rows.at(-1) ?? []),
  ];
  return ["digraph lab {", ...lines.map((line) => `  ${line}`), "}", ""].join("\n");
}

/** Explains the colours that a picture uses, in a line below its last row. */
function drawLegend(used, lastRow) {
  const cells = Object.entries(kinds)
    .filter(([kind, { legend }]) => legend !== undefined && used.includes(kind))
    .map(([, { stroke, fill, legend, dashed }]) => {
      const style = `BORDER="1" STYLE="ROUNDED${dashed ? ",DASHED" : ""}" COLOR="${stroke}" BGCOLOR="${fill}"`;
      const size = `WIDTH="26" HEIGHT="12" FIXEDSIZE="TRUE" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"`;
      return `<TD><TABLE ${style} ${size}><TR><TD></TD></TR></TABLE></TD><TD ALIGN="LEFT">${small(legend, palette.text)}  </TD>`;
    });
  const table = `<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="3"><TR>${cells.join("")}</TR></TABLE>`;
  return [
    statement("legend", { label: { html: table }, shape: "plain" }),
    ...lastRow.map((id) => statement(`${id} -> legend`, { style: "invis" })),
  ];
}

function graphStyle(lab, title, spread) {
  const heading = `<FONT POINT-SIZE="20">${bold(lab)}</FONT><FONT POINT-SIZE="14" COLOR="${palette.muted}">   ${html(title)}</FONT><BR/><FONT POINT-SIZE="6"> </FONT>`;
  return {
    ...font,
    ...{ fontsize: 12, labelloc: "t", labeljust: "l", newrank: true, compound: true },
    ...{ nodesep: 0.35, ranksep: spread, pad: 0.3, bgcolor: palette.ground },
    label: { html: heading },
  };
}

function groupStyle(heading, more = {}) {
  const { stroke, fill } = palette.vpc;
  const box = { style: "rounded,filled", color: stroke, fillcolor: fill, margin: 12 };
  return { label: { html: bold(heading) }, labeljust: "l", ...box, ...more };
}

function drawBox(id, kind, heading, ...lines) {
  const { stroke, fill, dashed } = kinds[kind];
  const style = dashed ? "rounded,filled,dashed" : "rounded,filled";
  const label = linesOf([bold(heading), ...lines.map((line) => small(line, palette.text))], 1);
  return statement(id, { label, style, color: stroke, fillcolor: fill });
}

function drawArrow(from, to, kind, label, more = {}) {
  const { stroke, dashed } = kinds[kind];
  // The spaces keep the text off the line.
  const text = label && {
    label: {
      html: label
        .split("\n")
        .map((line) => `&#160;${html(line)}&#160;`)
        .join("<BR/>"),
    },
    fontcolor: kind === "plain" ? palette.text : stroke,
  };
  const { back, ...others } = more;
  // Graphviz draws arrows within a row from left to right; `back` turns one round.
  const head = dashed ? "tee" : "normal";
  const ends = back ? { dir: "back", arrowtail: head } : { arrowhead: head };
  const ids = back ? `${to} -> ${from}` : `${from} -> ${to}`;
  return statement(ids, { color: stroke, ...(dashed && { style: "dashed" }), ...ends, ...text, ...others });
}
