import { shellText } from "../components/core/text";
import { awsOptions, type GroupReference } from "./group";

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
}

interface Rule {
  readonly kind: AwsErrorKind;
  /** Matches the name or the code of an error. */
  readonly pattern: RegExp;
  readonly why: (message: string, asked: Asked) => string;
  readonly fix: (asked: Asked) => string;
}

interface Asked {
  readonly action: string;
  readonly at: GroupReference;
}

const signIn = "sign in again, e.g. with aws sso login, and check with aws sts get-caller-identity";

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
    why: (message, { at }) => {
      const profile = profileOf(at);
      if (profile === undefined) return `No usable credentials: ${message}`;
      return `The profile ${profile} does not exist, or has no usable credentials: ${message}`;
    },
    fix: ({ at }) => {
      const profile = profileOf(at);
      if (profile === undefined) return `set AWS_PROFILE, or ${signIn}`;
      return `choose one of aws configure list-profiles, or sign in, e.g. with aws sso login --profile ${shellText([profile])}`;
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
    why: (message) => `The identity may not do this: ${message}`,
    fix: ({ action }) => `ask your administrator for the permission ${action} (docs/sessions.md lists all)`,
  },
  {
    kind: "missing",
    pattern: /^(?:ResourceNotFound|NotFound)/,
    why: (message) => `Not found: ${message}`,
    fix: ({ at }) =>
      `check the region and the names: aws eks list-nodegroups ${awsOptions(at)} --cluster-name ${shellText([at.cluster])}`,
  },
  {
    kind: "busy",
    pattern: /^(?:Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|ResourceContention|ScalingActivityInProgress)/,
    why: () => "AWS throttles the requests of this account.",
    fix: () => "wait a minute and run the command again",
  },
  {
    kind: "busy",
    pattern: /^(?:ResourceInUse|ServiceUnavailable|ServerException|InternalFailure|InternalServer)/,
    why: (message) => `AWS is busy: ${message}`,
    fix: () => "wait a minute and run the command again",
  },
  {
    kind: "region",
    pattern: /^(?:ENOTFOUND|UnknownEndpoint|EndpointError)/,
    why: () => "The address of the service does not exist: the region does not exist, or there is no network.",
    fix: ({ at }) => `check the region ${at.region} and the network`,
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
    fix: () => "correct what the message names",
  },
];

/** The profile whose credentials were used, if one was chosen. */
function profileOf({ profile }: GroupReference): string | undefined {
  return profile ?? (process.env["AWS_PROFILE"] || undefined);
}

interface SdkError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  /** Of an error that AWS states. */
  readonly $fault?: unknown;
  readonly $metadata?: Metadata;
}

interface Metadata {
  readonly httpStatusCode?: number | undefined;
}

/** What the SDK returns. */
export interface AwsAnswer {
  readonly $metadata: Metadata;
}

/** The error of the SDK as one of this project; undefined if it is none of AWS or the network. */
export function awsErrorOf(error: unknown, asked: Asked): AwsError | undefined {
  const { name, code, message, $fault, $metadata } = error as SdkError;
  const names = [name, code].filter((one): one is string => typeof one === "string");
  const text = sentence(typeof message === "string" ? message : "");
  const status = $metadata?.httpStatusCode;
  // The SDK finds no code of an error in the answer. It calls some of these NotFound.
  if (status !== undefined && isWithoutCode(names, text)) return unreadable(asked, status);
  const rule = rules.find(({ pattern }) => names.some((one) => pattern.test(one)));
  const known = rule && names.find((one) => rule.pattern.test(one));
  if (rule) return new AwsError(rule.kind, asked.action, known ?? "", rule.why(text, asked), rule.fix(asked));
  if (status === undefined) return undefined;
  // The SDK cannot read the answer.
  if ($fault === undefined) return unreadable(asked, status);
  return otherError(asked, names[0] ?? String(status), status, text);
}

/** An error whose name no rule has. */
function otherError({ action }: Asked, code: string, status: number, text: string): AwsError {
  const kind = status >= 500 ? "busy" : "rejected";
  const fix = kind === "busy" ? "wait a minute and run the command again" : "correct what the message names";
  return new AwsError(kind, action, code, `AWS answers with an error: ${text}`, fix);
}

function isWithoutCode([name = ""]: readonly string[], text: string): boolean {
  return [name, text].some((one) => /^Unknown(?:Error)?\.?$/.test(one));
}

/** An answer that is not one of AWS. Its text is not shown: it can be a page of a proxy. */
function unreadable({ action }: Asked, status: number): AwsError {
  const why = "The answer is not one of AWS, or a part of it is missing. A proxy or a sign-in page may have sent it.";
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

/**
 * Sends a request. Errors of AWS become AwsErrors; any other error is one of this program. The SDK reads a page of HTML or an
 * empty answer as one without members: that is an error, too, except after a deletion, whose answer has none.
 */
export async function asked<T extends AwsAnswer>(
  at: GroupReference,
  action: string,
  request: () => Promise<T>,
): Promise<T> {
  let answer: T;
  try {
    answer = await request();
  } catch (error) {
    throw awsErrorOf(error, { action, at }) ?? error;
  }
  const { $metadata, ...members } = answer;
  const isEmpty = Object.values(members).every((member) => member === undefined);
  if (isEmpty && !/:Delete/.test(action)) throw unreadable({ action, at }, $metadata.httpStatusCode ?? 0);
  return answer;
}
