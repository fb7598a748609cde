import providerActions from "./provider-actions.json";
import { isIPv4 } from "node:net";
import { AwsError } from "../aws-error";
import type { Aws } from "../clients";
import type { EvaluationResult } from "@aws-sdk/client-iam";
import type { ActionDecision } from "../../components/preflight/preflight-facts";

/** Who sends the requests. */
export interface Identity {
  readonly account: string;
  /** ARN of the role or user; of a session, that of its role. */
  readonly arn: string;
}

/** Reads who the credentials belong to. The first request: what it cannot reach, no other can. @throws AwsError */
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
    return { why: `${url} does not return an IPv4 address.` };
  } catch {
    return { why: `${url} cannot be reached; state your address with --address.` };
  }
}

/** The actions of Pulumi's AWS provider, by the type of a resource. */
export const actionsByType: Readonly<Record<string, readonly string[]>> = providerActions.actions;

/** The actions that resources of these types need, in alphabetical order, and the types of AWS that the table lacks. */
export function actionsOf(types: readonly string[]): { readonly actions: string[]; readonly unknown: string[] } {
  const distinct = [...new Set(types)].sort();
  const actions = new Set(distinct.flatMap((type) => actionsByType[type] ?? []));
  return {
    actions: [...actions].sort(),
    unknown: distinct.filter((type) => /^(?:aws|eks):/.test(type) && !Object.hasOwn(actionsByType, type)),
  };
}

/** IAM evaluates a limited number of actions at once. */
const actionsPerRequest = 50;

/**
 * Asks IAM whether the identity may perform these actions.
 *
 * @param resource an ARN @default every resource
 * @throws AwsError
 */
export async function readPermissions(
  clients: Aws,
  { arn }: Identity,
  actions: readonly string[],
  resource?: string,
): Promise<ActionDecision[]> {
  const decisions: ActionDecision[] = [];
  for (let from = 0; from < actions.length; from += actionsPerRequest) {
    const results = await clients.list("iam:SimulatePrincipalPolicy", "EvaluationResults", {
      ...{ PolicySourceArn: arn, ActionNames: actions.slice(from, from + actionsPerRequest) },
      ...(resource !== undefined && { ResourceArns: [resource] }),
    });
    decisions.push(...results.map(decisionOf));
  }
  return decisions;
}

function decisionOf(result: EvaluationResult): ActionDecision {
  const { EvalActionName: action = "", EvalDecision: decision } = result;
  if (decision === "allowed") return { action, decision: "allowed" };
  const isLimited =
    result.OrganizationsDecisionDetail?.AllowedByOrganizations === false ||
    result.PermissionsBoundaryDecisionDetail?.AllowedByPermissionsBoundary === false;
  if (isLimited) return { action, decision: "boundary" };
  // The simulation takes a condition on a value that it does not know, such as MFA, as it comes.
  const isCertain = (result.MissingContextValues ?? []).length === 0;
  return { action, decision: decision === "explicitDeny" && isCertain ? "denied" : "not-granted" };
}
