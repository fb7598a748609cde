/** GitHub's Markdown. @see https://github.github.com/gfm/ */

/** Text that shows as it is: nothing in it becomes a link, a mention, an image or HTML. */
export function plain(text: string): string {
  return text
    .replace(/[\\`*_{}[\]()<>#|~!]/g, (char) => `\\${char}`)
    .replace(/@/g, "@\u200b")
    .replace(/&/g, "&amp;")
    .replace(/(https?|www)([:.])/gi, "$1\u200b$2");
}

/** A code span, which may hold backticks. */
export function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** Text in a cell of a table. */
export function cell(text: string): string {
  return plain(text).replace(/\s*\r?\n\s*/g, "<br>");
}

/** A table; its cells are Markdown already. */
export function table(header: readonly string[], rows: readonly (readonly string[])[], right: readonly number[] = []) {
  const rule = header.map((_, index) => (right.includes(index) ? "---:" : "---"));
  return [header, rule, ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** Lines of code in a block of a language. */
export function fenced(language: string, lines: readonly string[]): string {
  const longest = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const fence = "`".repeat(longest + 1);
  return [fence + language, ...lines, fence].join("\n");
}

/** Something to open with a click. */
export function collapsed(summary: string, content: string): string {
  return `<details><summary>${plain(summary)}</summary>\n\n${content}\n\n</details>`;
}
