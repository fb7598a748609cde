import type { Finding } from "../finding";

/** What one station saw: lines for the report of the walk, and conclusions. */
export interface Seen {
  readonly lines: readonly string[];
  readonly findings: readonly Finding[];
  /** What was not judged, because more of it tells nobody more. */
  readonly leftOut?: readonly string[];
}

/** The first of many, and how many more there are, e.g. `3 groups of waiting pods`. */
export function first<T>(items: readonly T[], most: number, noun: string, which: string) {
  const more = items.length - most;
  return { items: items.slice(0, most), leftOut: more > 0 ? [`${counted(more, noun)} ${which}`] : [] };
}

export const nothing: Seen = { lines: [], findings: [] };

export function together(...parts: readonly Seen[]): Seen {
  return { lines: parts.flatMap(({ lines }) => lines), findings: parts.flatMap(({ findings }) => findings) };
}

/** `2 GPU nodes`, `1 GPU node`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** What is stated of several texts, e.g. `Failed, Evicted`. */
export function stated(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== "").join(", ");
}

/** The first few of many names, and how many more there are. */
export function some(names: readonly string[], most = 3): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
