import { userAgent } from "../../components/core/kubernetes-api/api";
import { valueAt } from "../../components/core/reader/paths";
import { deepMerge, isRecord } from "../../components/core/reader/records";

/** An entry of `metadata.managedFields`. */
type Owner = Readonly<Record<string, unknown>>;

/**
 * The owners of the fields of a node before a write of the drill, and those that it got meanwhile; undefined if the drill
 * owns nothing. The API server makes the last writer of a field its owner, and server-side apply by the former owner, such
 * as `pulumi up`, then fails with a conflict. So the drill writes back the owners after each write.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export function ownersAsBefore(before: unknown, node: unknown): Owner[] | undefined {
  const others = ownersOf(node).filter(isOther);
  if (others.length === ownersOf(node).length) return undefined;
  const former = ownersOf(before).filter(isOther);
  const kept = others.map((owner) => deepMerge(former.find(isSame(owner)) ?? {}, owner));
  return [...kept, ...former.filter((owner) => !others.some(isSame(owner)))];
}

function ownersOf(node: unknown): Owner[] {
  const owners = valueAt(node, "metadata.managedFields");
  return Array.isArray(owners) ? (owners as unknown[]).filter(isRecord) : [];
}

const isOther = ({ manager }: Owner) => manager !== userAgent;

const isSame = (one: Owner) => (other: Owner) =>
  ["manager", "operation", "subresource"].every((key) => one[key] === other[key]);
