import { palette } from "../palette";

/** The language of Mermaid flowcharts. @see https://mermaid.js.org/syntax/flowchart.html */

export interface Edge {
  readonly text: string;
  readonly color?: string;
}

/** Classes of nodes and subgraphs. */
type Style = "vpc" | "zone" | "public" | "private" | "existing" | "gpu" | "control" | "plain" | "stopped";

/** A quoted text. What Mermaid could take for its own syntax or for HTML becomes an entity code, as its docs say. */
export function label(lines: readonly string[]): string {
  const safe = (text: string) => text.replace(/[^\p{L}\p{N} .,:;/()=+_-]/gu, (char) => `#${char.codePointAt(0)};`);
  return `"${lines.map(safe).join("<br/>")}"`;
}

export function node(id: string, lines: readonly string[], style: Style): string {
  return `${id}[${label(lines)}]:::${style}`;
}

export function subgraph(id: string, title: string, style: Style, content: readonly string[]): string[] {
  return [`subgraph ${id}[${label([title])}]`, ...content.map((line) => `  ${line}`), "end", `class ${id} ${style}`];
}

/** Its own colours, on light and dark pages alike. */
const theme = {
  theme: "base",
  themeVariables: { edgeLabelBackground: palette.ground, lineColor: palette.zone.stroke },
};

/** Puts a flowchart together. */
export function flowchart(parts: readonly string[], edges: readonly Edge[]): string {
  // A line to a subgraph takes its class away again: classes come after all lines.
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
