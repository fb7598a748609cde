import type { EvaluationResult } from "@aws-sdk/client-iam";
import type { ActionDecision } from "../../components/preflight/preflight-facts";
import type { Aws } from "../clients";
import type { Identity } from "./caller";
import providerActions from "./provider-actions.json";

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
