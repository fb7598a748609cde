import type { Problem } from "../core/problems";
import type { PreflightFacts } from "./preflight-facts";
import type { ChangeRequest } from "./running-environment";

/**
 * The cluster of the last update is in another account or region than those of this one, or does not exist any more. The
 * engine would take its resources for deleted as soon as it refreshes, and create a second environment.
 */
export function placeProblems(change: ChangeRequest, facts: PreflightFacts): Problem[] {
  const { formerClusterName: cluster, formerAccount, formerRegion, settings } = change;
  const { account, region, clusterNames } = facts;
  if (cluster === undefined) return [];
  const problem = (path: string, got: unknown, place: string, way: string): Problem => {
    const why = `The cluster ${cluster} of this stack is ${place} ${consequence}`;
    return { code: "conflict", path, got, why, fix: `${way}; ${waysOn(cluster)}` };
  };
  const toAccount = `use credentials of the account ${formerAccount}: check AWS_PROFILE and aws:profile`;
  const toRegion = `pulumi config set aws:region ${formerRegion}`;
  const others = [
    ...(isOther(account, formerAccount)
      ? [problem("the AWS account", account, `in account ${formerAccount}.`, toAccount)]
      : []),
    ...(isOther(region, formerRegion) ? [problem("aws:region", region, `in ${formerRegion}.`, toRegion)] : []),
  ];
  const isMissing = clusterNames && ![cluster, settings.clusterName].some((name) => clusterNames.includes(name));
  if (others.length > 0 || !isMissing) return others;
  // The last update may be one of an older version, which exports neither account nor region.
  const known = [...(account ? [`account ${account}`] : []), ...(region ? [`region ${region}`] : [])].join(", ");
  const place = `not in ${known || "this account and region"}: wrong profile or region?`;
  const way = "check AWS_PROFILE, aws:profile and aws:region";
  return [problem("the cluster of this stack", undefined, place, way)];
}

function isOther(found: string | undefined, expected: string | undefined): boolean {
  return found !== undefined && expected !== undefined && found !== expected;
}

const consequence =
  "It would continue to cost money while an update creates another one. pulumi up --refresh forgets it even if it stops " +
  "here: docs/recovery.md says how to restore the state.";

function waysOn(cluster: string): string {
  return (
    "or use another stack for another environment: pulumi stack init NAME; " +
    `or, if ${cluster} does not exist any more, pulumi config set --path confirm.replaceCluster ${cluster}`
  );
}
