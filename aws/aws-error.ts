import type { Problem } from "../components/core/problems";
import { shellText } from "../components/core/text";

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
 * Why AWS did not do what was asked: `identity` and `denied` need another identity or more permissions, `missing` another
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
    const isIdentity = this.kind === "identity";
    const [path, got] = isIdentity ? ["AWS credentials", undefined] : [this.action, this.code];
    return { code: "not-allowed", path, got, why: this.why, fix: this.fix };
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

interface Rule {
  readonly kind: AwsErrorKind;
  /** Matches the name or the code of an error. */
  readonly pattern: RegExp;
  readonly why: (message: string, place: AccountPlace) => string;
  readonly fix: (place: AccountPlace, action: string) => string;
}

const signIn = "sign in again, e.g. with aws sso login, and check with aws sts get-caller-identity";
const again = "wait a minute and run the command again";
const correct = "correct what the message names";

/**
 * Errors by their names. Query services drop the suffix `Exception`.
 *
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/CommonErrors.html
 * @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/CommonErrors.html
 */
const rules: readonly Rule[] = [
  {
    kind: "identity",
    pattern: /^(?:ExpiredToken|RequestExpired|TokenRefreshRequired)/,
    why: () => "The credentials have expired.",
    fix: () => signIn,
  },
  {
    kind: "identity",
    pattern: /^(?:CredentialsProviderError|TokenProviderError|CredentialUnavailable)/,
    why: (message, place) => {
      const profile = profileOf(place);
      if (profile === undefined) return `No usable credentials: ${message}`;
      return `The profile ${profile} does not exist, or has no usable credentials: ${message}`;
    },
    fix: (place) => {
      const profile = profileOf(place);
      if (profile === undefined) return `set AWS_PROFILE, or ${signIn}`;
      return `set a profile that aws configure list-profiles prints, or sign in, e.g. with aws sso login --profile ${shellText([profile])}`;
    },
  },
  {
    kind: "identity",
    pattern:
      /^(?:UnrecognizedClient|InvalidClientTokenId|SignatureDoesNotMatch|IncompleteSignature|InvalidSignature|InvalidToken|MissingAuthenticationToken|AuthFailure|OptInRequired)/,
    why: () => "AWS does not accept the credentials, or they are not valid in this region.",
    fix: () => signIn,
  },
  {
    kind: "denied",
    pattern: /^(?:AccessDenied|UnauthorizedOperation|NotAuthorized|ForbiddenException)/,
    why: (message) => `The identity is not allowed to do this: ${message}`,
    fix: ({ page }, action) =>
      `ask your administrator for the permission ${action}${page === undefined ? "" : ` (${page} lists all)`}`,
  },
  {
    kind: "missing",
    pattern: /^(?:ResourceNotFound|NotFound)/,
    why: (message) => `Not found: ${message}`,
    fix: ({ missingFix = "check the region" }) => missingFix,
  },
  {
    kind: "busy",
    pattern: /^(?:Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|ResourceContention|ScalingActivityInProgress)/,
    why: () => "AWS throttles the requests of this account.",
    fix: () => again,
  },
  {
    kind: "busy",
    pattern: /^(?:ResourceInUse|ServiceUnavailable|ServerException|InternalFailure|InternalServer)/,
    why: (message) => `AWS is busy: ${message}`,
    fix: () => again,
  },
  {
    kind: "region",
    pattern: /^(?:ENOTFOUND|UnknownEndpoint|EndpointError)/,
    why: () => "The address of the service does not exist: the region does not exist, or there is no network.",
    fix: ({ region }) => `check the region ${region} and the network`,
  },
  {
    kind: "network",
    pattern:
      /^(?:ECONN|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EPIPE|ETIMEDOUT|TimeoutError|AbortError|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/,
    why: (message) => `AWS cannot be reached: ${message}`,
    fix: () => "check the network, HTTPS_PROXY and the VPN, and run the command again",
  },
  {
    kind: "rejected",
    pattern:
      /^(?:Invalid|Validation|ClientException|Conflict|LimitExceeded|ServiceQuotaExceeded|UnsupportedAvailabilityZone)/,
    why: (message) => `AWS rejects the request: ${message}`,
    fix: () => correct,
  },
];

/** The profile whose credentials were used, if one was chosen. */
function profileOf({ profile }: AccountPlace): string | undefined {
  return profile ?? (process.env["AWS_PROFILE"] || undefined);
}

interface SdkError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  /** Of an error that AWS states. */
  readonly $fault?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number | undefined };
}

/** The error of the SDK as one of this project; undefined if it is none of AWS or the network. */
export function awsErrorOf(error: unknown, place: AccountPlace, action: string): AwsError | undefined {
  const { name, code, message, $fault, $metadata } = error as SdkError;
  const names = [name, code].filter((one) => typeof one === "string");
  const text = sentence(typeof message === "string" ? message : "");
  const status = $metadata?.httpStatusCode;
  // The SDK finds no code of an error in the answer. It calls some of these NotFound.
  const isWithoutCode = [names[0] ?? "", text].some((one) => /^Unknown(?:Error)?\.?$/.test(one));
  if (status !== undefined && isWithoutCode) return unreadable(action, status);
  for (const { kind, pattern, why, fix } of rules) {
    const known = names.find((one) => pattern.test(one));
    if (known !== undefined) return new AwsError(kind, action, known, why(text, place), fix(place, action));
  }
  if (status === undefined) return undefined;
  // The SDK cannot read the answer.
  if ($fault === undefined) return unreadable(action, status);
  const [kind, fix] = status >= 500 ? (["busy", again] as const) : (["rejected", correct] as const);
  return new AwsError(kind, action, names[0] ?? String(status), `AWS responds with an error: ${text}`, fix);
}

/** An answer that is not one of AWS. Its text is not shown: it can be a page of a proxy. */
function unreadable(action: string, status: number): AwsError {
  const why = "The response is not from AWS, or is incomplete. A proxy or a sign-in page may have sent it.";
  const fix = "check the network, HTTPS_PROXY and AWS_ENDPOINT_URL, and run the command again";
  return new AwsError("answer", action, `HTTP ${status}`, why, fix);
}

/** A message on one line, without control characters, with a period. */
export function sentence(message: string): string {
  const text = message
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, 400);
  return text === "" ? "no message." : /[.!?]$/.test(text) ? text : `${text}.`;
}
