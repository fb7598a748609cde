import { isIPv4 } from "node:net";
import { AwsError } from "../aws-error";
import type { Aws } from "../clients";

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
export async function readIdentity(clients: Aws): Promise<Identity> {
  const { Account: account = "", Arn: arn = "" } = await clients.ask("sts:GetCallerIdentity", {});
  const [, partition, id, role] = /^arn:([\w-]+):sts::(\d+):assumed-role\/([^/]+)\//.exec(arn) ?? [];
  if (role === undefined) return { account, arn };
  return { account, arn: (await roleArn(clients, role)) ?? `arn:${partition}:iam::${id}:role/${role}` };
}

/** The ARN of a session has no path of its role. Without the right to read the role, its path is taken as none. */
async function roleArn(clients: Aws, name: string): Promise<string | undefined> {
  try {
    const { Role: role } = await clients.ask("iam:GetRole", { RoleName: name });
    return role?.Arn;
  } catch (error) {
    if (error instanceof AwsError) return undefined;
    throw error;
  }
}

/** AWS's service that answers with the address of the sender. */
export const addressService = "https://checkip.amazonaws.com";

const timeoutMs = 5000;

/** The public IPv4 address from which this machine reaches the internet; or why it is not known. */
export async function readAddress(
  url = addressService,
): Promise<{ readonly address: string } | { readonly why: string }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    const text = (await response.text()).trim();
    if (response.ok && isIPv4(text)) return { address: text };
    return { why: `${url} does not answer with an IPv4 address.` };
  } catch {
    return { why: `${url} cannot be reached; state your address with --address.` };
  }
}
