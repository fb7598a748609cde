import pc from "picocolors";
import type { TextOptions } from "../../components/core/text-page";
import type { Console } from "./command";

/** The width of a report, and whether it has colors. */
export function textStyle({ terminal }: Console): TextOptions {
  return { colors: terminal.isTTY === true && pc.isColorSupported, columns: Math.min(terminal.columns ?? 100, 100) };
}

/** A result as JSON. */
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
