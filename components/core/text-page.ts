import pc from "picocolors";
import { pageWidth } from "./text";

/** The terminal of a report. */
export interface TextOptions {
  readonly colors: boolean;
  /** Width of the terminal in characters. Reports use 40 to 100 of them. */
  readonly columns: number;
}

export type Colors = ReturnType<typeof pc.createColors>;

/** How a report is printed. Colors add no information. */
export interface TextPage {
  readonly colors: Colors;
  /** In characters. */
  readonly width: number;
}

export function textPage({ colors, columns }: TextOptions): TextPage {
  return { colors: pc.createColors(colors), width: pageWidth(columns) };
}
