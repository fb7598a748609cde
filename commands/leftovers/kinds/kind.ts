import type { Aws } from "../../../aws/clients";
import type { Found, Search } from "../found";
import { inTurn } from "../requests";

/** A kind of object: how it is read. The list of kinds has the order in which they are removed. */
export interface Kind {
  /** As the report names it, e.g. `NAT gateway`. */
  readonly kind: string;
  /** The Pulumi type that creates it. */
  readonly type?: string;
  /** The IAM actions that reading needs. */
  readonly reads: readonly string[];
  readonly read: (aws: Aws, search: Search) => Promise<readonly Found[]>;
  /** Whether AWS makes more of them while others are removed, e.g. interfaces that a node no longer uses. */
  readonly grows?: boolean;
  /** Whether it can be in a network, and needs parts of it. */
  readonly isInNetwork?: boolean;
  /** Whether its service is the same one in all regions: where it cannot be reached, the others may be. */
  readonly isGlobal?: boolean;
}

export interface Row<T> extends Omit<Kind, "read"> {
  readonly list: (aws: Aws, search: Search) => Promise<readonly T[]>;
  /** Its name, if AWS does not search the kind by tags, which are read one by one. */
  readonly nameOf?: (one: T) => string | undefined;
  /** Undefined for what does not exist any more, or cannot be a lab's. */
  readonly found: (one: T, aws: Aws, search: Search) => Promise<Found | undefined> | Found | undefined;
}

export function kindOf<T>({ list, nameOf, found, ...kind }: Row<T>): Kind {
  return {
    ...kind,
    read: async (aws, search) => {
      const all = await list(aws, search);
      const own = nameOf ? withNamesOf(plural(kind.kind), all, nameOf, search) : all;
      return (await inTurn(own, (one) => found(one, aws, search))).flatMap((one) => one ?? []);
    },
  };
}

export function plural(kind: string): string {
  return kind.endsWith("ss") ? `${kind}es` : `${kind}s`;
}

/** Objects whose tags are read one by one. AWS throttles more requests than these. */
const mostTagReads = 200;

/** Names begin with that of the cluster, which is cut where it is too long. */
const shortestPart = 20;

/** For a cluster, only objects with its name; for an environment or a stack, all, unless there are too many. */
function withNamesOf<T>(kinds: string, all: readonly T[], nameOf: (one: T) => string | undefined, search: Search) {
  const { stack, ids, clusters, note } = search;
  const isWide = stack !== undefined || ids.length > 0;
  if (isWide && all.length <= mostTagReads) return all;
  if (isWide) {
    const searched = clusters.length === 0 ? "none was searched" : `only names beginning with ${clusters.join(" or ")}`;
    note(`${kinds}: ${searched}, because reading the tags of ${all.length} takes too many requests`);
  }
  return all.filter((one) => clusters.some((name) => nameOf(one)?.startsWith(name.slice(0, shortestPart)) === true));
}
