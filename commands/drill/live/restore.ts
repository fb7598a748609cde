import { Unreachable, type Call } from "../../../components/core/kubernetes-api/api";
import { refuse } from "../../../components/core/problems";
import { valueAt } from "../../../components/core/reader/paths";
import { patchCommand } from "../../../components/core/text";
import { collections, drillKey, namespace } from "../manifests";
import { patchesTo, recordedState, recordText, type NodeState } from "../node-state";
import type { Leftover, Restored } from "../report";
import {
  drillFor,
  eventually,
  find,
  kubectlFor,
  list,
  nameOf,
  nodesPath,
  patchNode,
  Rejected,
  type Cluster,
} from "./requests";

const namespacePath = `${collections.Namespace}/${namespace}`;
const nodeSeconds = 30;
const namespaceSeconds = 90;

/** What a drill left in a cluster, or has there now: its nodes, and the seed of the drill whose namespace exists. */
export async function findTraces(call: Call) {
  const nodes = (await list(call, nodesPath)).filter((node) => recordText(node) !== undefined).map(nameOf);
  const seed = seedOf(await find(call, namespacePath));
  return { nodes, seed };
}

/**
 * A cluster has one drill at a time, and one that was killed has to be undone first.
 *
 * @throws InputError if the cluster has traces of a drill
 */
export async function refuseTraces(cluster: Cluster): Promise<void> {
  const { nodes, seed } = await findTraces(cluster.call);
  if (nodes.length === 0 && seed === undefined) return;
  const what = seed === undefined ? `node ${nodes.join(", ")} is marked` : `seed ${seed}`;
  const why = `A drill runs in this cluster, or was interrupted before it restored it (${what}).`;
  const fix = `if no drill runs, restore the cluster: ${drillFor(cluster)} --restore`;
  refuse("the cluster", [{ code: "conflict", path: "--context", got: cluster.context, why, fix }]);
}

/** The seed in the label of a namespace; undefined for a namespace that no drill has created. */
function seedOf(space: unknown): string | undefined {
  const seed = valueAt(space, ["metadata", "labels", drillKey]);
  return typeof seed === "string" ? seed : undefined;
}

/** The target of a drill in this process, for the commands to show if the cluster no longer responds. */
export interface Target {
  /** The node as last read, with the changes of the drill. */
  readonly node: unknown;
  readonly before: NodeState;
}

/**
 * Restores everything that a drill has changed, and checks it. What it needs to know is in the cluster, so it also
 * restores what a drill left that was killed.
 */
export async function restore(cluster: Cluster, target?: Target): Promise<Restored> {
  const { call } = cluster;
  const kubectl = kubectlFor(cluster);
  try {
    // First, so that no pod that waits gets the restored node. It takes a while, and the nodes need not wait for it.
    const space = await deleteNamespace(call, kubectl);
    const { nodes, leftovers } = await restoreNodes(cluster);
    const remaining = space ?? (await endOfNamespace(call, kubectl));
    return { nodes, leftovers: [...leftovers, ...(remaining ? [remaining] : [])] };
  } catch (error) {
    return { nodes: [], leftovers: notReached(whyOf(error), kubectl, target) };
  }
}

/** Restores the nodes that are marked by a drill. */
export async function restoreNodes(cluster: Cluster): Promise<Restored> {
  const { call } = cluster;
  const nodes = (await list(call, nodesPath)).filter((node) => recordText(node) !== undefined);
  const leftovers: Leftover[] = [];
  for (const node of nodes) {
    const leftover = await restoreNode(call, node, kubectlFor(cluster));
    if (leftover) leftovers.push(leftover);
  }
  return { nodes: nodes.map(nameOf), leftovers };
}

async function restoreNode(call: Call, recorded: unknown, kubectl: string): Promise<Leftover | undefined> {
  const name = nameOf(recorded);
  const object = `node/${name}`;
  const before = recordedState(recorded);
  if (!before) {
    const why = `its annotation ${drillKey} cannot be read, so the state before the drill is not known. Compare the node with others.`;
    return { object, why, commands: [`${kubectl} describe node ${name}`, unmarkCommand(kubectl, name)] };
  }
  let current = recorded;
  let problem = "it is not as before the drill.";
  const step = async (): Promise<"restored" | "failed" | undefined> => {
    try {
      current = await find(call, `${nodesPath}/${name}`);
      return current === undefined || (await approach(call, current, before)) ? "restored" : undefined;
    } catch (error) {
      problem = `it cannot be restored: ${whyOf(error)}`;
      return isPassing(error) ? undefined : "failed";
    }
  };
  if ((await eventually(step, { seconds: nodeSeconds })) === "restored") {
    return current === undefined ? undefined : removeRecord(call, name, unmarkCommand(kubectl, name));
  }
  return { object, why: problem, commands: commandsTo(before, current, kubectl) };
}

/** Whether another attempt can succeed: the node has changed in between, or the server has a problem. */
function isPassing(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof Rejected && (error.status === 409 || error.status >= 500));
}

/** Sends the first missing patch; true if nothing is missing. */
async function approach(call: Call, node: unknown, before: NodeState): Promise<boolean> {
  const [patch] = patchesTo(before, node);
  if (patch) await patchNode(call, node, patch);
  return !patch && (before.unschedulable || !hasCordonTaint(node));
}

/** Kubernetes removes its taint of a cordoned node by itself, a moment later. */
function hasCordonTaint(node: unknown): boolean {
  const taints = valueAt(node, "spec.taints");
  return Array.isArray(taints) && taints.some((taint) => valueAt(taint, "key") === "node.kubernetes.io/unschedulable");
}

async function removeRecord(call: Call, name: string, unmark: string): Promise<Leftover | undefined> {
  const body = { metadata: { annotations: { [drillKey]: null } } };
  const answer = await call({ method: "PATCH", path: `${nodesPath}/${name}`, body });
  if (answer.ok || answer.status === 404) return undefined;
  return { object: `node/${name}`, why: `its annotation ${drillKey} remains: ${answer.why}.`, commands: [unmark] };
}

async function deleteNamespace(call: Call, kubectl: string): Promise<Leftover | undefined> {
  if (seedOf(await find(call, namespacePath)) === undefined) return undefined;
  const answer = await call({ method: "DELETE", path: namespacePath });
  // 409: it is being deleted.
  if (answer.ok || answer.status === 404 || answer.status === 409) return undefined;
  return namespaceLeft(`it cannot be deleted: ${answer.why}.`, kubectl);
}

async function endOfNamespace(call: Call, kubectl: string): Promise<Leftover | undefined> {
  const isGone = async () => seedOf(await find(call, namespacePath)) === undefined || undefined;
  const gone = await eventually(isGone, { seconds: namespaceSeconds });
  return gone ? undefined : namespaceLeft(`it still exists after ${namespaceSeconds} seconds.`, kubectl);
}

function namespaceLeft(why: string, kubectl: string): Leftover {
  return { object: `namespace/${namespace}`, why, commands: [`${kubectl} delete namespace ${namespace}`] };
}

/** What remains if the cluster does not respond. */
function notReached(why: string, kubectl: string, target: Target | undefined): Leftover[] {
  const space = namespaceLeft(why, kubectl);
  if (!target) return [space];
  const { node, before } = target;
  return [{ object: `node/${nameOf(node)}`, why, commands: commandsTo(before, node, kubectl) }, space];
}

function commandsTo(before: NodeState, node: unknown, kubectl: string): string[] {
  const name = nameOf(node);
  const patches = patchesTo(before, node).map(({ subresource, body }) =>
    patchCommand(`node ${name}${subresource === undefined ? "" : ` --subresource=${subresource}`}`, body, kubectl),
  );
  return [...patches, unmarkCommand(kubectl, name)];
}

function unmarkCommand(kubectl: string, name: string): string {
  return `${kubectl} annotate node ${name} ${drillKey}-`;
}

function whyOf(error: unknown): string {
  if (error instanceof Unreachable) return error.why;
  if (error instanceof Rejected) return `${error.message}.`;
  throw error;
}
