import { show, type Problem } from "../core/problems";
import { countOf, shellText } from "../core/text";
import { scaleCommand } from "../nodes/scaling";
import { clusterChanges } from "./cluster-changes";
import { changedValues, gpuNodeChanges, systemNodeChanges, type NodeChange } from "./node-changes";
import type { CapacityRequest, PreflightFacts } from "./preflight-facts";
import type { ChangeRequest, Confirmations, GpuSession } from "./running-environment";

/** Changes that the existing environment cannot take, or that end a session, and confirmations that are not needed. */
export function changeProblems({ change }: CapacityRequest, facts: PreflightFacts): Problem[] {
  if (!change) return [];
  const { replaceCluster } = change.confirm ?? {};
  const misplaced = placeProblems(change, facts);
  if (misplaced.length > 0) return confirmed("replaceCluster", replaceCluster, change.formerClusterName, misplaced);
  // Without the names of the clusters, nothing is known.
  if (!facts.clusterNames) return [];
  const cluster = clusterProblems(change, facts);
  const name = facts.running?.clusterName;
  return [
    ...confirmed("replaceCluster", replaceCluster, name, cluster),
    ...endingProblems(change, facts, cluster.length > 0, replaceCluster === name),
  ];
}

/** Whether the cluster of the last update is elsewhere. One that the user has given up is not. */
export function isMisplaced({ change }: CapacityRequest, facts: PreflightFacts): boolean {
  if (!change || change.confirm?.replaceCluster === change.formerClusterName) return false;
  return placeProblems(change, facts).length > 0;
}

/** Whether nodes may end. A change of the cluster ends them, too: its confirmation is one of theirs. */
function endingProblems(
  change: ChangeRequest,
  facts: PreflightFacts,
  endsCluster: boolean,
  isConfirmed: boolean,
): Problem[] {
  const { endSession } = change.confirm ?? {};
  const { running, zones } = facts;
  const group = running?.gpuNodes?.group;
  const session = endsCluster && isConfirmed ? [] : sessionProblems(change, facts, endsCluster);
  // The change of a group without a session needs no confirmation. After a failed update, there may be one.
  const mayEnd = endsCluster ? group !== undefined : gpuNodeChanges(change, running, zones).length > 0;
  if (session.length > 0 || !mayEnd) return confirmed("endSession", endSession, group, session);
  return endsCluster ? confirmed("endSession", endSession, group, [], mayEnd) : [];
}

/**
 * The problems that are left, and what is wrong with the confirmation: it has another name, or it stays in the configuration
 * and is not needed.
 */
export function confirmed(
  key: keyof Confirmations,
  got: string | undefined,
  name: string | undefined,
  problems: readonly Problem[] = [],
  isNeeded = problems.length > 0,
): Problem[] {
  const path = `confirm.${key}`;
  if (got === undefined) return [...problems];
  if (!isNeeded) {
    const why = "It confirms a change that this configuration does not make, and would let a later change through.";
    return [{ code: "conflict", path, got, why, fix: `remove it: pulumi config rm --path ${path}` }];
  }
  if (got === name) return [];
  const what = key === "replaceCluster" ? "cluster of this stack" : "running GPU node group";
  const why = `Must be the name of the ${what}, ${name}.`;
  return [{ code: "not-allowed", path, got, why, fix: `set ${path} to ${name}, or remove it` }, ...problems];
}

/** Session and ways out are the same for all changes, so only the first problem has them. */
function clusterProblems(change: ChangeRequest, { running, zones = [] }: PreflightFacts): Problem[] {
  if (!running) return [];
  const { clusterName } = running;
  const another =
    "keep this environment and create another stack with another clusterName; or run pulumi destroy, and then pulumi up; " +
    `or set confirm.replaceCluster to ${clusterName} to update anyway, which can fail halfway`;
  const session = running.gpuNodes?.session;
  const changes = clusterChanges(change, running, zones);
  return changes.map(({ path, got, why, reset }, index) => ({
    code: "conflict",
    path,
    got,
    why: session && index === 0 ? `${why} ${describeSession(session)}` : why,
    fix: index === 0 ? `${reset}; or ${another}` : `${reset}; or another way out of ${changes[0]?.path}`,
  }));
}

/** One problem for all changes that end the same nodes. `isDescribed`: another problem describes the session. */
function sessionProblems(
  change: ChangeRequest,
  { running, zones, region = "REGION" }: PreflightFacts,
  isDescribed: boolean,
): Problem[] {
  const ending = gpuNodeChanges(change, running, zones);
  const [first] = ending;
  if (!first || !running?.gpuNodes?.session || !isHeld(running.gpuNodes.session)) return [];
  const { group, session, minSize, maxSize } = running.gpuNodes;
  const changes = describeChanges(ending);
  const why = isDescribed ? changes : `${changes} ${describeSession(session)}`;
  const cluster = running.clusterName;
  // Only a stack of labs has a tag. `gpu down` removes the end of its session, too.
  const stack = change.stackTag?.split("/").at(-1);
  const command =
    stack === undefined
      ? scaleCommand({ cluster, group, region, min: minSize, max: maxSize, desired: minSize })
      : shellText(["npx", "eks-gpu-lab", "gpu", "down", "--stack", stack]);
  const resets = ending.map(({ path, existing, reset = `set ${path} to ${show(existing)}` }) => reset);
  const fix = `end the session first: ${command}; or ${[...new Set(resets)].join(" and ")}; or set confirm.endSession to ${group}`;
  return [{ code: "conflict", path: first.path, got: first.wanted, why, fix }];
}

/** Nodes without such pods are idle. Where the pods cannot be read, running nodes count as a session. */
export function isHeld({ pods }: GpuSession): boolean {
  return pods === undefined || pods.length > 0;
}

function describeChanges(changes: readonly NodeChange[]): string {
  const effect = changes.some((change) => change.effect === "replaces")
    ? "EKS cannot change this in a node group. The update would create another group with the configured desired size, and delete this one"
    : "EKS would replace the nodes of the group one by one, and evict their pods";
  return `The update changes ${changedValues(changes)}. ${effect}.`;
}

/** Who would lose what. */
export function describeSession({ nodes, pods, unreadable }: GpuSession): string {
  const running =
    nodes.length > 0
      ? `${countOf(nodes.length, "GPU node")} would be terminated: ${nodes.join(", ")}.`
      : "The running GPU nodes would be terminated.";
  if (!pods) return `${running} Their pods cannot be read, so they count as a session: ${unreadable}.`;
  if (pods.length === 0) return `${running} No pod holds their GPUs.`;
  const held = pods.map(
    ({ namespace, name, node, gpus }) => `${namespace}/${name} (${countOf(gpus, "GPU")} of ${node})`,
  );
  return `${running} ${countOf(pods.length, "pod")} would lose GPUs: ${held.join(", ")}.`;
}

/** What a confirmed change, or a change of idle nodes, ends. */
export function changeWarnings({ change }: CapacityRequest, facts: PreflightFacts): string[] {
  if (!change) return [];
  const misplaced = placeProblems(change, facts);
  const problems = misplaced.length > 0 ? misplaced : clusterProblems(change, facts);
  const cluster = problems.map(({ path, why }) => `${path}: ${why} You confirmed it.`);
  const ending = gpuNodeChanges(change, facts.running, facts.zones);
  const session = cluster.length === 0 && ending.length > 0 ? facts.running?.gpuNodes?.session : undefined;
  return [
    ...cluster,
    ...twinWarnings(facts),
    ...autoModeWarnings(change, facts),
    ...(session ? [`${describeChanges(ending)} ${describeSession(session)}`] : []),
    ...(cluster.length > 0 ? [] : systemNodeWarnings(change, facts)),
  ];
}

/**
 * The provider keeps the Auto Mode of a cluster whose program does not state it, and EKS disables its three parts only together.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/auto-disable.html
 */
function autoModeWarnings({ settings }: ChangeRequest, { running, region = "REGION" }: PreflightFacts): string[] {
  const { provisioner } = settings.gpuNodes;
  if (running?.autoMode !== true || provisioner === "autoMode" || settings.transform?.cluster) return [];
  const cluster = running.clusterName;
  const command = shellText([
    ...["aws", "eks", "update-cluster-config", "--name", cluster, "--region", region],
    ...["--compute-config", "enabled=false"],
    ...["--kubernetes-network-config", '{"elasticLoadBalancing":{"enabled":false}}'],
    ...["--storage-config", '{"blockStorage":{"enabled":false}}'],
  ]);
  return [
    `EKS Auto Mode is enabled in ${cluster}, and gpuNodes.provisioner is ${provisioner}. An update does not disable it. Once ` +
      `no NodePool of Auto Mode is left, run ${command}`,
  ];
}

/** A second VPC of the same name: an update that replaces the VPC has failed, and every further one fails, too. */
function twinWarnings({ running }: PreflightFacts): string[] {
  const { vpcId, name, twins = [] } = running?.network ?? {};
  if (twins.length === 0) return [];
  return [
    `The cluster is in the VPC ${vpcId}, and ${twins.join(", ")} has the same name, ${name}. If this preview replaces the ` +
      "VPC, an earlier update failed halfway, and this update also fails: run pulumi destroy, and then pulumi up. Otherwise " +
      "an earlier destroy left that VPC.",
  ];
}

/** Names the system nodes that the update replaces, and what replaces them. */
export function systemNodeWarnings(change: ChangeRequest, { running }: PreflightFacts): string[] {
  const changes = running ? systemNodeChanges(change, running) : [];
  const { instances = [] } = running?.systemNodes ?? {};
  if (changes.length === 0 || instances.length === 0) return [];
  const how = changes.some(({ effect }) => effect === "replaces")
    ? "creates another group of system nodes, and deletes the existing one with its nodes"
    : "replaces the system nodes one by one, new ones first";
  return [`The update ${how}: ${instances.join(", ")}. Their pods start again. It changes ${changedValues(changes)}.`];
}

/**
 * The cluster of the last update is in another account or region than those of this one, or does not exist any more. The
 * engine would take its resources for deleted as soon as it refreshes, and create a second environment.
 */
function placeProblems(change: ChangeRequest, facts: PreflightFacts): Problem[] {
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
  "It would continue to cost money while an update creates another one. pulumi up --refresh drops it from the state even if it stops " +
  "here: docs/recovery.md shows how to restore the state.";

function waysOn(cluster: string): string {
  return (
    "or use another stack for another environment: pulumi stack init NAME; " +
    `or, if ${cluster} does not exist any more, pulumi config set --path confirm.replaceCluster ${cluster}`
  );
}
