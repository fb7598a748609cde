import { AwsError } from "../../aws/aws-error";

/** A kind, or an object of the state, that could not be read. */
export interface Unread {
  readonly what: string;
  readonly action: string;
  readonly why: string;
  readonly fix: string;
}

/**
 * Without credentials or without the region, nothing can be read, except that a global service has an endpoint of its own.
 *
 * @throws the error of these
 */
export function unreadOf(what: string, error: unknown, isGlobal = false): Unread {
  const fatal: readonly AwsError["kind"][] = isGlobal ? [] : ["identity", "region", "network"];
  if (!(error instanceof AwsError) || fatal.includes(error.kind)) throw error;
  const { action, why, fix } = error;
  return { what, action, why, fix };
}
