import type { PolicyDocument, PolicyStatement } from "../../../../components/cluster/identity/policy-document";

/** The statement with this Sid. Fails when there is none or more than one. */
export function statement(policy: PolicyDocument, sid: string): PolicyStatement {
  const found = policy.Statement.filter((one) => one.Sid === sid);
  if (found.length !== 1) {
    throw new Error(`expected one ${sid}, got ${found.length} of ${policy.Statement.map((one) => one.Sid).join(", ")}`);
  }
  return found[0] as PolicyStatement;
}

/** Every action that a policy allows, each once. */
export function actionsOf(policy: PolicyDocument): string[] {
  return [...new Set(policy.Statement.flatMap((one) => one.Action))].sort();
}

/** `Sid action` for each action that changes something and whose statement does not name the cluster. */
export function unscopedWrites(policy: PolicyDocument, clusterName: string): string[] {
  return policy.Statement.filter((one) => !JSON.stringify([one.Condition ?? {}, one.Resource]).includes(clusterName))
    .flatMap((one) => [one.Action].flat().map((action) => `${one.Sid} ${action}`))
    .filter((line) => !/:(Describe|Get|List)/.test(line));
}
