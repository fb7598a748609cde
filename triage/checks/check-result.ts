import { countOf } from "../../components/core/text";
import type { Finding } from "../conclusions";

/** What the check of one layer returns. */
export interface CheckResult {
  /** A summary of the layer for the report. */
  readonly lines: readonly string[];
  readonly findings: readonly Finding[];
  /** What was not checked because there is too much of it. */
  readonly leftOut?: readonly string[];
}

/** The first items, and a text such as `3 groups of waiting pods` for the rest. */
export function takeFirst<T>(items: readonly T[], max: number, noun: string, which: string) {
  const more = items.length - max;
  return { items: items.slice(0, max), leftOut: more > 0 ? [`${countOf(more, noun)} ${which}`] : [] };
}

/** The texts that are present, e.g. `Failed, Evicted`. */
export function joinPresent(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== "").join(", ");
}

/** The first few names, and how many more there are. */
export function listNames(names: readonly string[], max = 3): string {
  const more = names.length - max;
  return `${names.slice(0, max).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
