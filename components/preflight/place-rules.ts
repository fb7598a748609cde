import type { Problem } from "../core/problems";
import type { PreflightFacts } from "./preflight-facts";
import type { ChangeRequest } from "./running-environment";

/**
 * The cluster of the last update is in another account or region than those of this one, or does not exist any more. The
 * engine would take its resources for deleted as soon as it refreshes, and create a second environment.
 */
export function placeProblems(change: ChangeRequest, facts: PreflightFacts): Problem[] {
  const { formerClusterName: cluster, formerAccount, formerRegion } = change;
  if (cluster === undefined) return [];
  const { account, region, clusterNames } = facts;
  const others = [
    ...(isOther(account, formerAccount) ? [otherAccount(cluster, account, formerAccount)] : []),
    ...(isOther(region, formerRegion) ? [otherRegion(cluster, region, formerRegion)] : []),
  ];
  const isMissing = clusterNames && ![cluster, change.settings.clusterName].some((name) => clusterNames.includes(name));
  return others.length === 0 && isMissing ? [missingCluster(cluster, facts)] : others;
}

function isOther(found: string | undefined, expected: string | undefined): boolean {
  return found !== undefined && expected !== undefined && found !== expected;
}

const consequence =
  "It would continue to cost money while an update creates another one. pulumi up --refresh forgets it even if it stops " +
  "here: docs/recovery.md says how to restore the state.";

function otherAccount(cluster: string, got: unknown, account: string | undefined): Problem {
  const why = `The cluster ${cluster} of this stack is in account ${account}. ${consequence}`;
  const fix = `use credentials of the account ${account}: check AWS_PROFILE and aws:profile; ${waysOn(cluster)}`;
  return { code: "conflict", path: "the AWS account", got, why, fix };
}

function otherRegion(cluster: string, got: unknown, region: string | undefined): Problem {
  const why = `The cluster ${cluster} of this stack is in ${region}. ${consequence}`;
  return {
    code: "conflict",
    path: "aws:region",
    got,
    why,
    fix: `pulumi config set aws:region ${region}; ${waysOn(cluster)}`,
  };
}

/** The last update may be one of an older version, which exports neither account nor region. */
function missingCluster(cluster: string, { account, region }: PreflightFacts): Problem {
  const place = [
    ...(account === undefined ? [] : [`account ${account}`]),
    ...(region === undefined ? [] : [`region ${region}`]),
  ].join(", ");
  const where = place === "" ? "this account and region" : place;
  const why = `The cluster ${cluster} of this stack is not in ${where}: wrong profile or region? ${consequence}`;
  const fix = `check AWS_PROFILE, aws:profile and aws:region; ${waysOn(cluster)}`;
  return { code: "conflict", path: "the cluster of this stack", got: undefined, why, fix };
}

function waysOn(cluster: string): string {
  return (
    "or use another stack for another environment: pulumi stack init NAME; " +
    `or, if ${cluster} does not exist any more, pulumi config set --path confirm.replaceCluster ${cluster}`
  );
}
