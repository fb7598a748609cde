import { AwsError, awsErrorOf } from "../sessions/aws-error";
import { awsClients, type AccountPlace } from "../sessions/clients";

/** The clients of one account and region. */
export function awsIn(place: AccountPlace) {
  const clients = awsClients(place);
  const { ec2, iam, elbv2, autoScaling } = clients;
  return {
    ...{ region: place.region, ...clients },
    ...{ ec2: withAnswers(ec2), iam: withAnswers(iam) },
    ...{ elbv2: withAnswers(elbv2), autoScaling: withAnswers(autoScaling) },
  };
}

interface SdkClient {
  readonly middlewareStack: {
    add(
      middleware: Middleware,
      options: { readonly step: "initialize"; readonly name: string; readonly override: true },
    ): void;
  };
}
type Middleware = (
  next: (args: never) => Promise<{ output: object }>,
  context: { commandName?: string },
) => (args: never) => Promise<{ output: object }>;

/**
 * A client of an XML service that rejects an answer to a list without its list. The SDK reads a page of HTML as such an answer,
 * and an object that is not seen does not protect what it uses.
 */
function withAnswers<Client>(client: () => Promise<Client>): () => Promise<Client> {
  return async () => {
    const ready = await client();
    (ready as unknown as SdkClient).middlewareStack.add(refuseEmpty, {
      step: "initialize",
      name: "refuseEmpty",
      override: true,
    });
    return ready;
  };
}

const refuseEmpty: Middleware =
  (next, { commandName = "" }) =>
  async (args) => {
    const answer = await next(args);
    const { $metadata, ...members } = answer.output as { readonly $metadata?: { readonly httpStatusCode?: number } };
    const isEmpty = Object.values(members).every((member) => member === undefined);
    if (isEmpty && /^(?:Describe|List|Get)/.test(commandName))
      throw Object.assign(new Error("no list"), { name: "UnknownError", $metadata });
    return answer;
  };

export type Aws = ReturnType<typeof awsIn>;

/** Sends requests. Errors of AWS become AwsErrors with the IAM action; any other error is one of this program. */
export async function asked<T>(action: string, region: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const found = awsErrorOf(error, { action, at: { region, cluster: "", group: "" } });
    if (!found) throw error;
    const { kind, code, why } = found;
    throw new AwsError(kind, action, code, why, fixOf(found));
  }
}

function fixOf({ kind, action, fix }: AwsError): string {
  if (kind === "denied") return `ask your administrator for the permission ${action} (docs/recovery.md lists all)`;
  return kind === "missing" ? "check the region" : fix;
}

/** The AWS error code of any error, e.g. `DependencyViolation`. */
export function codeOf(error: unknown): string {
  if (error instanceof AwsError) return error.code;
  const { name } = error as { readonly name?: unknown };
  return typeof name === "string" ? name : "";
}
