import pc from "picocolors";
import { createInterface, type Interface } from "node:readline";
import type { Console } from "./command";
import type { TextOptions, TextPage } from "../../components/core/text-page";
import { indented, wrapped } from "../../components/core/text";

/** The width of a report, and whether it has colors. */
export function textStyle({ terminal }: Console): TextOptions {
  return { colors: terminal.isTTY === true && pc.isColorSupported, columns: Math.min(terminal.columns ?? 100, 100) };
}

export function jsonText(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Shows the current step on one line of a terminal; prints nothing without a terminal. */
export function progressOn(console: Console): (step: string) => void {
  if (!console.terminal.isTTY) return () => undefined;
  return (step) => console.warn(`\r\u001b[2K${step === "" ? "" : `${step} ...`}`);
}

/** As {@link progressOn}; without a terminal, each new step is a line, so that a log shows what a long command waits for. */
export function stepsOn(console: Console): (step: string) => void {
  if (console.terminal.isTTY) return progressOn(console);
  let last = "";
  return (step) => {
    if (step !== "" && step !== last) console.warn(`${step}\n`);
    last = step === "" ? last : step;
  };
}

/** The lines of an input, one at a time. */
export class Lines {
  private readonly reader: Interface;
  private readonly waiting: string[] = [];
  private isEnded = false;
  private wake: () => void = () => undefined;

  constructor(input: NodeJS.ReadableStream) {
    // Not as a terminal: that would read Ctrl-C as a key, and no signal would arrive.
    this.reader = createInterface({ input, terminal: false });
    this.reader.on("line", (line) => {
      this.waiting.push(line);
      this.wake();
    });
    this.reader.once("close", () => {
      this.isEnded = true;
      this.wake();
    });
  }

  /** The next line; undefined at the end of the input, and when the signal is aborted. */
  async next(signal: AbortSignal): Promise<string | undefined> {
    while (this.waiting.length === 0 && !this.isEnded && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    return signal.aborted ? undefined : this.waiting.shift();
  }

  close(): void {
    this.reader.close();
  }
}

/** Lines under a title; none without lines. */
export function section(title: string, lines: readonly string[], { colors }: TextPage): string[] {
  return lines.length === 0 ? [] : [colors.bold(title), ...indented(lines)];
}

/** Something that could not be read, why, and what to do about it. */
interface Unread {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** A section on what could not be read. */
export function unreadSection(title: string, unread: readonly Unread[], page: TextPage): string[] {
  const { colors, width } = page;
  const lines = unread.flatMap(({ what, why, fix }) => [
    ...wrapped(`${what}: ${why}`, width - 2).map(colors.yellow),
    ...indented(wrapped(`fix: ${fix}`, width - 4)),
  ]);
  return section(title, lines, page);
}

/** A key for each value, with null for none, as documents have it. */
export function withNull(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value ?? null]));
}
