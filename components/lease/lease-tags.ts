import { leaseEndTime } from "./lease-documents";

/**
 * The tags of a lease, in addition to `lab`: `owner`, who answers for the lab, and `expires-at`, the end of the lease in UTC,
 * or `none`.
 */
export function leaseTags({ owner, expiresAt }: { readonly owner: string; readonly expiresAt?: string | undefined }) {
  return { owner, "expires-at": expiresAt === undefined ? "none" : leaseEndTime(expiresAt) };
}
