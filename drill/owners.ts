import { userAgent } from "../components/core/kubernetes-api/api";
import { valueAt } from "../components/core/reader/paths";
import { deepMerge, isRecord } from "../components/core/reader/records";

/**
 * The owners of the fields of a node. The API server makes the last writer of a field its owner. Server-side apply by the
 * former owner, such as `pulumi up`, then fails with a conflict. So a drill owns no field: after each write, it writes
 * back the owners as they were.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */

/** An entry of `metadata.managedFields`. */
type Owner = Readonly<Record<string, unknown>>;

/** The owners of a node before a write, and those that it got meanwhile; undefined if the drill owns nothing. */
export function ownersAsBefore(before: unknown, node: unknown): Owner[] | undefined {
  const all = ownersOf(node);
  const others = all.filter(isOther);
  if (others.length === all.length) return undefined;
  const former = ownersOf(before).filter(isOther);
  const kept = others.map((owner) => merged(owner, former.find(isSame(owner))));
  return [...kept, ...former.filter((owner) => !others.some(isSame(owner)))];
}

function merged(owner: Owner, former: Owner | undefined): Owner {
  return former ? deepMerge(former, owner) : owner;
}

function ownersOf(node: unknown): Owner[] {
  const owners = valueAt(node, "metadata.managedFields");
  return Array.isArray(owners) ? (owners as unknown[]).filter(isRecord) : [];
}

const isOther = ({ manager }: Owner) => manager !== userAgent;

const isSame = (one: Owner) => (other: Owner) =>
  ["manager", "operation", "subresource"].every((key) => one[key] === other[key]);
