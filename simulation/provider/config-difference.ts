import { isDeepStrictEqual } from "node:util";
import type { Properties } from "../../components/core/wire";

/** The settings that differ between two configurations of a provider. */
export function changedKeys(olds: Properties, news: Properties): string[] {
  const keys = [...new Set([...Object.keys(olds), ...Object.keys(news)])];
  return keys.filter((key) => !isDeepStrictEqual(olds[key], news[key]));
}
