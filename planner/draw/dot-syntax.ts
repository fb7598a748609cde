/** The language of Graphviz. @see https://graphviz.org/doc/info/lang.html */

/** A label in the HTML subset of Graphviz, from the functions below. */
export interface HtmlLabel {
  readonly html: string;
}

export type Attributes = Readonly<Record<string, string | number | boolean | HtmlLabel>>;

/** Escaped text for an HTML label. Control characters, which XML does not allow, become spaces. */
export function html(text: string): string {
  return text.replace(/\p{Cc}/gu, " ").replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}

export function bold(text: string): string {
  return `<B>${html(text)}</B>`;
}

export function small(text: string, color: string): string {
  return `<FONT POINT-SIZE="10" COLOR="${color}">${html(text)}</FONT>`;
}

/** A left-aligned label of several lines, each from `html`, `bold` or `small`. */
export function linesOf(lines: readonly string[], padding = 2): HtmlLabel {
  const rows = lines.map((line) => `<TR><TD ALIGN="LEFT">${line}</TD></TR>`).join("");
  return { html: `<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="${padding}">${rows}</TABLE>` };
}

/** `name [key="value", …]`. The names `graph`, `node` and `edge` set defaults. */
export function statement(name: string, attributes: Attributes): string {
  const list = Object.entries(attributes).map(([key, value]) => `${key}=${written(value)}`);
  return `${name} [${list.join(", ")}]`;
}

/** A box around statements. */
export function cluster(id: string, attributes: Attributes, content: readonly string[]): string[] {
  const indented = [statement("graph", attributes), ...content].map((line) => `  ${line}`);
  return [`subgraph cluster_${id} {`, ...indented, "}"];
}

/** Puts nodes side by side. */
export function sameRank(ids: readonly string[]): string[] {
  return ids.length < 2 ? [] : [`{ rank=same; ${ids.join("; ")} }`];
}

function written(value: Attributes[string]): string {
  if (typeof value === "object") return `<${value.html}>`;
  return typeof value === "string" ? `"${value.replace(/[\\"]/g, "\\$&")}"` : String(value);
}
