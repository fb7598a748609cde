import { AwsError, awsErrorOf } from "../sessions/aws-error";
import { awsClients, type AccountPlace } from "../sessions/clients";

/** The clients of one account and region. */
export function awsIn(place: AccountPlace) {
  return { region: place.region, ...awsClients(place) };
}

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
