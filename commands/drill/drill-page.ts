import { indented, pageWidth, wrapped } from "../../components/core/text";
import type { Line } from "./report";
import type { Console } from "../core/command";

/** Where a drill writes: its conversation to standard output, or to standard error if the result is JSON. */
export class DrillPage {
  constructor(
    private readonly console: Console,
    private readonly isJson: boolean,
  ) {}

  /** Writes paragraphs. Commands are not wrapped, so that they can be copied. */
  say(...lines: readonly Line[]): void {
    const width = pageWidth(this.console.terminal.columns ?? 100);
    const texts = lines.flatMap((line) =>
      typeof line === "string" ? paragraph(line, width) : indented([line.command]),
    );
    this.talk(texts.map((text) => `${text}\n`).join(""));
  }

  prompt(): void {
    this.talk("> ");
  }

  /** Shows a line that was piped, where a terminal has shown it already. */
  echo(line: string, input: NodeJS.ReadableStream): void {
    if ((input as { isTTY?: boolean }).isTTY !== true) this.talk(`${line}\n`);
  }

  /** Writes the result as JSON, if the user asks for it. */
  resultIfJson(document: object): void {
    if (this.isJson) this.console.write(`${JSON.stringify(document, null, 2)}\n`);
  }

  private talk(text: string): void {
    if (this.isJson) this.console.warn(text);
    else this.console.write(text);
  }
}

/** A paragraph, or a numbered one with its text in a column. */
function paragraph(text: string, width: number): string[] {
  const [number = ""] = /^\d+ {2}/.exec(text) ?? [];
  const lines = wrapped(text.slice(number.length), width - number.length);
  return lines.map((line, at) => `${at === 0 ? number : " ".repeat(number.length)}${line}`);
}
