import { show, type Problem } from "../core/problems";
import { countOf, shellText } from "../core/text";
import { scaleCommand } from "../nodes/scaling";
import { clusterChanges } from "./cluster-changes";
import { gpuNodeChanges, type GpuNodeChange } from "./gpu-node-changes";
import type { CapacityRequest, PreflightFacts } from "./preflight-facts";
import type { ChangeRequest, Confirmations, GpuSession, RunningGpuNodes } from "./running-environment";

/** Changes that the existing environment cannot take, or that end a session, and confirmations that are not needed. */
export function changeProblems({ change }: CapacityRequest, facts: PreflightFacts): Problem[] {
  // Without the names of the clusters, nothing is known.
  if (!change || !facts.clusterNames) return [];
  const cluster = clusterProblems(change, facts);
  const { replaceCluster, endSession } = change.confirm ?? {};
  const problems = confirmed("replaceCluster", replaceCluster, facts.running?.clusterName, cluster);
  // A change of the cluster ends the nodes, too, and its problem lists them.
  if (cluster.length > 0) return problems;
  const session = sessionProblems(change, facts);
  // The change of a group without a session needs no confirmation. After a failed update, there may be one.
  if (session.length === 0 && endingOf(change, facts).ending.length > 0) return problems;
  return [...problems, ...confirmed("endSession", endSession, facts.running?.gpuNodes?.group, session)];
}

/** The problems that are left, and what is wrong with the confirmation. */
function confirmed(
  key: keyof Confirmations,
  got: string | undefined,
  name: string | undefined,
  problems: readonly Problem[],
): Problem[] {
  if (got === undefined) return [...problems];
  if (problems.length === 0) return [unneededConfirmation(key, got)];
  if (got === name) return [];
  const path = `confirm.${key}`;
  const what = key === "replaceCluster" ? "existing cluster" : "running GPU node group";
  const why = `Must be the name of the ${what}, ${name}.`;
  return [{ code: "not-allowed", path, got, why, fix: `set ${path} to ${name}, or remove it` }, ...problems];
}

/** The problem of a confirmation that stays in the configuration. */
export function unneededConfirmation(key: keyof Confirmations, got: string): Problem {
  const path = `confirm.${key}`;
  const why = "It confirms a change that this configuration does not make, and would let a later change through.";
  return { code: "conflict", path, got, why, fix: `remove it: pulumi config rm --path ${path}` };
}

function clusterProblems(change: ChangeRequest, { running, zones = [] }: PreflightFacts): Problem[] {
  if (!running) return [];
  const { clusterName } = running;
  const another =
    "keep this environment and create another stack with another clusterName; or run pulumi destroy, and then pulumi up; " +
    `or set confirm.replaceCluster to ${clusterName} to update anyway, which can fail halfway`;
  const session = running.gpuNodes?.session;
  return clusterChanges(change, running, zones).map(({ path, got, why, reset }) => ({
    code: "conflict",
    path,
    got,
    why: session ? `${why} ${describeSession(session)}` : why,
    fix: `${reset}; or ${another}`,
  }));
}

/** One problem for all changes that end the same nodes. */
function sessionProblems(change: ChangeRequest, facts: PreflightFacts): Problem[] {
  const { ending, nodes } = endingOf(change, facts);
  const [first] = ending;
  if (!first || !nodes?.session || !isHeld(nodes.session)) return [];
  const { group, session, minSize, maxSize } = nodes;
  const why = `${describeChanges(ending)} ${describeSession(session)}`;
  const cluster = facts.running?.clusterName ?? "";
  const { region = "REGION" } = facts;
  // Only a stack of labs has a tag. `gpu down` removes the end of its session, too.
  const stack = change.stackTag?.split("/").at(-1);
  const command =
    stack === undefined
      ? scaleCommand({ cluster, group, region, min: minSize, max: maxSize, desired: minSize })
      : shellText(["npx", "eks-gpu-lab", "gpu", "down", "--stack", stack]);
  const resets = ending.map(({ path, existing, reset = `set ${path} to ${show(existing)}` }) => reset).join(" and ");
  const fix = `end the session first: ${command}; or ${resets}; or set confirm.endSession to ${group}`;
  return [{ code: "conflict", path: first.path, got: first.wanted, why, fix }];
}

/** The changes of the GPU nodes that end them, and the nodes. */
function endingOf(
  change: ChangeRequest,
  { running, zones = [] }: PreflightFacts,
): { readonly ending: readonly GpuNodeChange[]; readonly nodes?: RunningGpuNodes | undefined } {
  return running ? { ending: gpuNodeChanges(change, running, zones), nodes: running.gpuNodes } : { ending: [] };
}

/** Nodes without such pods are idle. Where the pods cannot be read, running nodes count as a session. */
function isHeld({ pods }: GpuSession): boolean {
  return pods === undefined || pods.length > 0;
}

function describeChanges(changes: readonly GpuNodeChange[]): string {
  const values = changes.map(({ path, existing, wanted }) => `${path} from ${show(existing)} to ${show(wanted)}`);
  const effect = changes.some((change) => change.effect === "replaces")
    ? "EKS cannot change this in a node group. The update would create another group with the configured desired size, and delete this one"
    : "EKS would replace the nodes of the group one by one, and evict their pods";
  return `The update changes ${values.join(", ")}. ${effect}.`;
}

function describeSession({ nodes, pods, unreadable }: GpuSession): string {
  const running =
    nodes.length > 0
      ? `${countOf(nodes.length, "GPU node")} would end: ${nodes.join(", ")}.`
      : "The running GPU nodes would end.";
  if (!pods) return `${running} The pods on them cannot be read (${unreadable}), so this counts as a session.`;
  if (pods.length === 0) return `${running} No pod holds their GPUs.`;
  const held = pods.map(
    ({ namespace, name, node, gpus }) => `${namespace}/${name} (${countOf(gpus, "GPU")} of ${node})`,
  );
  return `${running} ${countOf(pods.length, "pod")} would lose GPUs: ${held.join(", ")}.`;
}

/** What a confirmed change, or a change of idle nodes, ends. */
export function changeWarnings({ change }: CapacityRequest, facts: PreflightFacts): string[] {
  if (!change) return [];
  const cluster = clusterProblems(change, facts).map(({ path, why }) => `${path}: ${why} You confirmed it.`);
  const { ending, nodes } = endingOf(change, facts);
  const session = cluster.length === 0 && ending.length > 0 ? nodes?.session : undefined;
  return [
    ...cluster,
    ...twinWarnings(facts),
    ...(session ? [`${describeChanges(ending)} ${describeSession(session)}`] : []),
  ];
}

/** A second VPC of the same name: an update that replaces the VPC has failed, and every further one fails, too. */
function twinWarnings({ running }: PreflightFacts): string[] {
  const { vpcId, name, twins = [] } = running?.network ?? {};
  if (twins.length === 0) return [];
  return [
    `The cluster is in the VPC ${vpcId}, and ${twins.join(", ")} has the same name, ${name}. If this preview replaces the ` +
      "VPC, an earlier update failed halfway, and this one fails, too: run pulumi destroy, and then pulumi up. Otherwise " +
      "an earlier destroy left that VPC.",
  ];
}
