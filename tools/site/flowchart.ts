import { svgOfDot } from "../../planner/draw/svg";

// Draws the Mermaid flowcharts of the pages with Graphviz, which the offline plan uses, too. Mermaid itself is large.

const direction = /^flowchart (LR|TB)$/;
/** `id`, or `id["first line<br/>second line"]`. */
const node = String.raw`(\w+)(?:\["([^"]+)"\])?`;
const arrow = new RegExp(`^${node} --> ${node}$`);

/**
 * Draws a flowchart of labelled boxes and arrows.
 *
 * @throws Error for any other line of Mermaid.
 */
export async function flowchartSvg(chart: string): Promise<string> {
  const [first = "", ...lines] = chart.trim().split("\n");
  const [, rankdir] = direction.exec(first) ?? [];
  if (rankdir === undefined) throw new Error(unsupported(first));
  const dot = `digraph { rankdir=${rankdir}; ${style} ${lines.flatMap(statements).join(" ")} }`;
  // Its lines and texts have the color and the size of the page's text.
  return (await svgOfDot(dot, "Flowchart")).replace(/<style>[^]*<\/style>|(?<=(?:width|height)="\d+)pt/g, "");
}

const style =
  'bgcolor=transparent; nodesep=0.3; node [shape=box style=rounded margin="0.2,0.1" fontname=Arial fontsize=13]; ' +
  "edge [arrowsize=0.7];";

/** The statements of an arrow in the DOT language. */
function statements(line: string): string[] {
  const [, from, fromLabel, to, toLabel] = arrow.exec(line.trim()) ?? [];
  if (from === undefined || to === undefined) throw new Error(unsupported(line));
  return [...labelled(from, fromLabel), ...labelled(to, toLabel), `${from} -> ${to};`];
}

function labelled(id: string, label: string | undefined): string[] {
  return label === undefined ? [] : [`${id} [label="${label.replaceAll("<br/>", String.raw`\n`)}"];`];
}

function unsupported(line: string): string {
  return `The site draws flowcharts of boxes and arrows only, and cannot draw this line of Mermaid: ${line.trim()}`;
}
