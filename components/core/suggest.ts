import { closest, distance } from "fastest-levenshtein";

/** The known name that is most similar to a misspelt one; undefined if no name is similar. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const fold = (text: string) => text.toLowerCase().replace(/[-_.]/g, "");
  const best = closest(fold(given), known.map(fold));
  const match = known.find((name) => fold(name) === best);
  return match !== undefined && distance(fold(given), best) <= Math.max(2, Math.floor(given.length / 3))
    ? match
    : undefined;
}
