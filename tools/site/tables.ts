import type { MarkdownRenderer } from "vitepress" with { "resolution-mode": "import" };

// How wide the columns of a table are. The style sheet of the site has the widths of the classes.

type Token = ReturnType<MarkdownRenderer["parse"]>[number];

interface Cell {
  /** The token that opens it. */
  readonly open: Token;
  readonly text: string;
}

/** Gives the cells of each table the class of their column: `prose` needs room, `short` stays on one line. */
export function classifyColumns(tokens: readonly Token[]): void {
  let columns: Cell[][] = [];
  let column = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.type === "table_open") columns = [];
    if (token.type === "tr_open") column = 0;
    if (token.type === "th_open" || token.type === "td_open") {
      (columns[column] ??= []).push({ open: token, text: shownText(tokens[at + 1]) });
      column += 1;
    }
    if (token.type === "table_close") for (const cells of columns) classify(cells);
  }
}

function shownText(inline: Token | undefined): string {
  return (inline?.children ?? []).map(({ content }) => content).join("");
}

/** Longer texts wrap, and shorter ones need no second line. */
const [longestShort, longestId] = [24, 48];

function classify([head, ...cells]: readonly Cell[]): void {
  const longest = Math.max(0, ...cells.map(({ text }) => text.length));
  const wraps = cells.some(({ text }) => text.length > longestShort && /\s/.test(text));
  const name = longest > longestId || wraps ? "prose" : "short";
  if (name === "prose") head?.open.attrJoin("class", name);
  for (const { open } of cells) open.attrJoin("class", name);
}
