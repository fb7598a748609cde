import type { Search } from "../found";

/** Objects whose tags are read one by one. AWS throttles more requests than these. */
export const mostTagReads = 200;

/** Names begin with that of the cluster, which is cut where it is too long. */
const shortestPart = 20;

/** Whether an object of a lab may have this name. */
export function isNameOf({ clusters }: Search, name: string): boolean {
  return clusters.some((cluster) => name.startsWith(cluster.slice(0, shortestPart)));
}

/**
 * The objects whose tags are read: AWS does not search this kind by tags. For a cluster, only those with its name; for an
 * environment or a stack, all, unless there are too many.
 *
 * @param kind in the plural
 */
export function withNamesOf<T>(
  kind: string,
  all: readonly T[],
  nameOf: (one: T) => string | undefined,
  search: Search,
): readonly T[] {
  const { stack, ids, clusters, note } = search;
  const isWide = stack !== undefined || ids.length > 0;
  if (isWide && all.length <= mostTagReads) return all;
  if (isWide) {
    const searched = clusters.length === 0 ? "none was searched" : `only names beginning with ${clusters.join(" or ")}`;
    note(`${kind}: ${searched}, because reading the tags of ${all.length} takes too many requests`);
  }
  return all.filter((one) => isNameOf(search, nameOf(one) ?? ""));
}

/** IAM and others throttle many requests at once. */
const atOnce = 5;

/** Runs requests for objects, a few at the same time. */
export async function inTurn<T, U>(all: readonly T[], read: (one: T) => Promise<U>): Promise<U[]> {
  const found: U[] = [];
  for (let at = 0; at < all.length; at += atOnce)
    found.push(...(await Promise.all(all.slice(at, at + atOnce).map(read))));
  return found;
}
