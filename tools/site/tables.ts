import type { MarkdownRenderer } from "vitepress" with { "resolution-mode": "import" };

type Token = ReturnType<MarkdownRenderer["parse"]>[number];
type Cell = readonly [open: Token, text: string];

/** Gives the cells of each table the class of their column: `prose` needs room, `short` stays on one line. */
export function classifyColumns(tokens: readonly Token[]): void {
  let columns: Cell[][] = [];
  let column = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.type === "table_open") columns = [];
    if (token.type === "tr_open") column = 0;
    if (token.type === "td_open") (columns[column++] ??= []).push([token, shownText(tokens[at + 1])]);
    if (token.type === "table_close") columns.forEach(classify);
  }
}

function shownText(inline: Token | undefined): string {
  return (inline?.children ?? []).map(({ content }) => content).join("");
}

function classify(cells: readonly Cell[]): void {
  const wraps = cells.some(([, text]) => text.length > 48 || (text.length > 24 && /\s/.test(text)));
  for (const [open] of cells) open.attrJoin("class", wraps ? "prose" : "short");
}
