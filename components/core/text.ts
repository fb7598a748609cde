/** The text of reports. Widths count characters: the texts contain no color codes. */

/** Breaks a text at spaces into lines of at most `width` characters; a longer word is cut, unless it stays whole. */
export function wrapped(text: string, width: number, { whole = false } = {}): string[] {
  const lines: string[] = [];
  let line = "";
  const words = text.split(" ");
  for (const word of whole ? words : words.flatMap((one) => pieces(one, width))) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** Shortens a text to `width` characters, with an ellipsis where something is missing. */
export function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 3))}...`;
}

interface Column {
  readonly align?: "left" | "right";
  /** Uses the width that the other columns leave, and wraps. At most one column of a table. */
  readonly flexible?: boolean;
  /** Its words are never cut: one that is longer than a line exceeds the width. */
  readonly whole?: boolean;
}

const gap = "  ";

/** The longest word that a flexible column must not cut, as long as the names of most resource types. */
const longestWord = 24;

/** Rows of equal columns as lines of at most `width` characters, without trailing spaces. */
export function aligned(rows: readonly (readonly string[])[], columns: readonly Column[], width: number): string[] {
  const natural = columns.map((_, index) => Math.max(0, ...rows.map((row) => row[index]?.length ?? 0)));
  const at = columns.findIndex((column) => column.flexible);
  const used =
    natural.reduce((sum, one, index) => sum + (index === at ? 0 : one), 0) + gap.length * (columns.length - 1);
  const left = Math.max(0, width - used);
  const words = rows.flatMap((row) => wordLengths(row[at] ?? ""));
  if (left < Math.min(longestWord, Math.max(0, ...words))) {
    const widths = natural.with(at, at === 0 ? left : 0);
    return rows.flatMap((row) => stackedLines(row, at, { columns, widths, width }));
  }
  const widths = natural.map((one, index) => (index === at ? Math.min(one, left) : one));
  return rows.flatMap((row) => rowLines(row, columns, widths));
}

/** The lengths of the words of a cell, each with the indent of the cell. */
function wordLengths(text: string): number[] {
  return text.split(" ").map((word) => depthOf(text) + word.length);
}

function rowLines(row: readonly string[], columns: readonly Column[], widths: readonly number[]): string[] {
  const cells = columns.map((column, index) => cellLines(row[index] ?? "", column, widths[index] ?? 0));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    columns
      .map(({ align }, index) => {
        const text = cells[index]?.[line] ?? "";
        const room = widths[index] ?? 0;
        return align === "right" ? text.padStart(room) : text.padEnd(room);
      })
      .join(gap)
      .trimEnd(),
  );
}

/** The flexible cell, which is at index `at`, on lines of its own: before the other cells if it is first, else after. */
function stackedLines(
  row: readonly string[],
  at: number,
  { columns, widths, width }: { columns: readonly Column[]; widths: readonly number[]; width: number },
): string[] {
  const text = row[at] ?? "";
  const indent = at === 0 ? "" : " ".repeat(depthOf(row[0] ?? "") + 4);
  const own = text === "" ? [] : cellLines(indent + text, { ...columns[at], flexible: true }, width);
  const others = rowLines(row.with(at, ""), columns, widths).filter((line) => line !== "");
  return at === 0 ? [...own, ...others] : [...others, ...own];
}

function depthOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** Leading spaces are the depth in a tree: they stay, on every line of the cell. */
function cellLines(text: string, column: Column, width: number): string[] {
  if (!column.flexible) return [text];
  const indent = " ".repeat(depthOf(text));
  const { whole } = column;
  return wrapped(text.trimStart(), Math.max(1, width - indent.length), { whole }).map((line) => indent + line);
}

function pieces(word: string, width: number): string[] {
  const found: string[] = [];
  for (let from = 0; from < word.length || from === 0; from += width) found.push(word.slice(from, from + width));
  return found;
}

/** The width of a report on a terminal with `columns` columns: 40 to 100. */
export function pageWidth(columns: number): number {
  return Math.min(100, Math.max(40, columns));
}

/** A report of sections, each some lines; one without lines is left out. */
export function pageOf(sections: readonly (readonly string[])[]): string {
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${texts.join("\n\n")}\n`;
}

/** `2 GPU nodes`, `1 GPU node`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The lines, each after `by` spaces. */
export function indented(lines: readonly string[], by = 2): string[] {
  return lines.map((line) => " ".repeat(by) + line);
}

/** A command to paste into a shell. */
export function shellText(command: readonly string[]): string {
  return command.map((word) => (/^[\w./:=@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

/**
 * The field manager with which a patch may write fields that a stack applied. The next update takes back the fields of this
 * manager; those of another one end it with a conflict.
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/await/await.go fixCSAFieldManagers, patchForce
 */
export const fieldManager = "pulumi-kubernetes";

/** The option of kubectl with that field manager. */
export const ownManager = `--field-manager=${fieldManager}`;

/** A command that patches an object which a stack may have applied. */
export function patchCommand(object: string, patch: unknown, kubectl = "kubectl"): string {
  const options = `${ownManager} --type=merge`;
  return `${kubectl} patch ${object} ${options} -p ${shellText([JSON.stringify(patch)])}`;
}
