import { AwsError } from "../sessions/aws-error";

/** A kind, or an object of the state, that could not be read. */
export interface Unread {
  readonly what: string;
  readonly action: string;
  readonly why: string;
  readonly fix: string;
}

/** Without credentials or without the region, nothing can be read. @throws the error of these */
export function unreadOf(what: string, error: unknown): Unread {
  if (!(error instanceof AwsError) || ["identity", "region", "network"].includes(error.kind)) throw error;
  const { action, why, fix } = error;
  return { what, action, why, fix };
}
