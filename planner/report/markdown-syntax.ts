import { shortened } from "../../components/core/text";

/** GitHub's Markdown. @see https://github.github.com/gfm/ */

/** GitHub rejects longer comments. @see https://github.com/orgs/community/discussions/27190 */
export const mostCharacters = 65_536;

/** Text without formatting: no part of it becomes a mention, an image, HTML or a column of a table. */
export function plain(text: string): string {
  return text
    .replace(/&/g, "&amp;")
    .replace(/[\\`*{}[\]<>#|~!]|(?<![a-zA-Z0-9])_|_(?![a-zA-Z0-9])/g, (char) => `\\${char}`)
    .replace(/@/g, "@\u200b");
}

/** The lines that fit into a number of characters, and the number of the others. */
export function limited(lines: readonly string[], room: number): { kept: string[]; left: number } {
  let size = 0;
  const fitting = lines.findIndex((line) => (size += line.length + 1) > room);
  const kept = fitting < 0 ? [...lines] : lines.slice(0, fitting);
  return { kept, left: lines.length - kept.length };
}

/** A part of a comment, with its name in case it does not fit. */
export interface Part {
  readonly name: string;
  readonly text: string;
  /** Parts with a lower rank are kept first. @default 0 */
  readonly rank?: number;
}

/** The parts that fit into a number of characters, and the names of the others. */
export function fitted(parts: readonly Part[], most: number): { kept: string[]; missing: string[]; room: number } {
  let room = most;
  const kept = new Set<Part>();
  for (const part of [...parts].sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))) {
    const size = part.text.length + 2;
    if (size > room) continue;
    kept.add(part);
    room -= size;
  }
  const [shown, hidden] = [parts.filter((part) => kept.has(part)), parts.filter((part) => !kept.has(part))];
  return { kept: shown.map(({ text }) => text), missing: hidden.map(({ name }) => name), room };
}

/** The note about parts that do not fit; nothing if all of them do. */
export function missingNote(missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  return [shortened(`Not shown because the comment is too long: ${plain(missing.join(", "))}.`, 500)];
}

/** A code span; the text may contain backticks. */
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

/** A table of Markdown cells. A note below it counts the rows that exceed `room` characters. */
export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { right = [], room = mostCharacters }: { right?: readonly number[]; room?: number } = {},
): string {
  const rule = header.map((_, index) => (right.includes(index) ? "---:" : "---"));
  const [head = "", line = "", ...body] = [header, rule, ...rows].map((row) => `| ${row.join(" | ")} |`);
  const { kept, left } = limited(body, room);
  const note = left === 0 ? "" : `\n\n${left} more not shown because the comment is too long.`;
  return [head, line, ...kept].join("\n") + note;
}

/** Lines of code in a block of a language. */
export function fenced(language: string, lines: readonly string[]): string {
  const longest = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const fence = "`".repeat(longest + 1);
  return [fence + language, ...lines, fence].join("\n");
}

/** A collapsed section. Its first line is HTML, where backslashes do not escape. */
export function collapsed(summary: string, content: string): string {
  const shown = summary.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);
  return `<details><summary>${shown}</summary>\n\n${content}\n\n</details>`;
}
