import type { Problem } from "../components/core/problems";

/** Where requests go, and with whose credentials. */
export interface AccountPlace {
  readonly region: string;
  /** A profile of the AWS configuration files. @default the user's ordinary credentials */
  readonly profile?: string;
  /** The page that lists the permissions of the command, e.g. `docs/sessions.md`. @default no error names one */
  readonly page?: string;
  /** What to do if AWS has nothing of a name. @default "check the region" */
  readonly missingFix?: string;
}

/**
 * Why AWS did not do what was asked: `identity` and `denied` need another identity or more rights, `missing` another
 * name or region, `busy` and `network` pass, `answer` is not the answer of AWS, and AWS rejects the request itself as
 * `rejected`.
 */
export type AwsErrorKind = "identity" | "denied" | "missing" | "busy" | "network" | "answer" | "region" | "rejected";

/** AWS did not do what was asked. The text contains no credentials. */
export class AwsError extends Error {
  constructor(
    readonly kind: AwsErrorKind,
    /** The IAM action, e.g. `eks:DescribeNodegroup`. */
    readonly action: string,
    /** The error as AWS names it, e.g. `ExpiredTokenException`. */
    readonly code: string,
    /** A sentence. */
    readonly why: string,
    readonly fix: string,
  ) {
    super(`${action}: ${why}`);
  }

  /** Whether the same request may work a little later. */
  get passes(): boolean {
    return this.kind === "busy" || this.kind === "network" || this.kind === "answer";
  }

  /** The error as wrong input of a command that needs the answer. */
  get problem(): Problem {
    return { code: "not-allowed", path: this.action, got: this.code, why: this.why, fix: this.fix };
  }
}

/**
 * The error of a request that a command can do without.
 *
 * @param kinds those that it can do without @default all
 * @throws any other error
 */
export function caughtAwsError(error: unknown, ...kinds: readonly AwsErrorKind[]): AwsError {
  if (error instanceof AwsError && (kinds.length === 0 || kinds.includes(error.kind))) return error;
  throw error;
}

/** Whether the error says that there is nothing of that name. */
export function isMissing(error: unknown): boolean {
  return (
    error instanceof AwsError && (error.kind === "missing" || /^(?:ParameterNotFound|NoSuchResource)/.test(error.code))
  );
}

/** The AWS error code of any error, e.g. `DependencyViolation`. */
export function codeOf(error: unknown): string {
  if (error instanceof AwsError) return error.code;
  const { name } = error as { readonly name?: unknown };
  return typeof name === "string" ? name : "";
}
