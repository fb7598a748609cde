import type { Aws } from "../aws";
import type { Found, Search } from "../found";

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
  /** Whether its service is the same one in all regions: where it cannot be reached, the others may be. */
  readonly isGlobal?: boolean;
}

export function plural(kind: string): string {
  return kind.endsWith("ss") ? `${kind}es` : `${kind}s`;
}
