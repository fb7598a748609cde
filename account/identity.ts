import { AwsError } from "../sessions/aws-error";
import type { Clients } from "./clients";

/** Who sends the requests. */
export interface Identity {
  readonly account: string;
  /** ARN of the role or user; of a session, that of its role. */
  readonly arn: string;
}

/**
 * Reads who the credentials belong to. The first request: what it cannot reach, no other can.
 *
 * @throws AwsError
 */
export async function readIdentity(clients: Clients): Promise<Identity> {
  const { Account: account = "", Arn: arn = "" } = await clients.ask("sts", "sts:GetCallerIdentity", (sts) =>
    sts.getCallerIdentity({}),
  );
  const [, partition, id, role] = /^arn:([\w-]+):sts::(\d+):assumed-role\/([^/]+)\//.exec(arn) ?? [];
  if (role === undefined) return { account, arn };
  return { account, arn: (await roleArn(clients, role)) ?? `arn:${partition}:iam::${id}:role/${role}` };
}

/** The ARN of a session has no path of its role. Without the right to read the role, its path is taken as none. */
async function roleArn(clients: Clients, name: string): Promise<string | undefined> {
  try {
    const { Role: role } = await clients.ask("iam", "iam:GetRole", (iam) => iam.getRole({ RoleName: name }));
    return role?.Arn;
  } catch (error) {
    if (error instanceof AwsError) return undefined;
    throw error;
  }
}
