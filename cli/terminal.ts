import pc from "picocolors";
import type { TextOptions } from "../planner/report/text";
import type { Console } from "./command";

/** How wide a report may be, and whether in colours. */
export function textStyle({ terminal }: Console): TextOptions {
  return { colors: terminal.isTTY === true && pc.isColorSupported, columns: Math.min(terminal.columns ?? 100, 100) };
}

/** One line on a terminal that each step overwrites; nothing elsewhere. */
export function progressOn(console: Console): (step: string) => void {
  if (!console.terminal.isTTY) return () => undefined;
  return (step) => console.warn(`\r\u001b[2K${step === "" ? "" : `${step} ...`}`);
}
