import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { isGpuResource } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import type { Pod } from "../../snapshot/objects/pod";
import { holdsResources, requestsGpu } from "../../snapshot/pods";
import { numberOf, requestsOf } from "../../snapshot/requests";
import { isNew } from "../../snapshot/time";
import { eligibleNodes, nodesWithFreeGpus } from "./gpu-capacity";
import type { Reason, SchedulerMessage } from "./scheduler-message";

export function isGpuShortage(reason: Reason): boolean {
  return reason.class === "insufficient" && isGpuResource(reason.resource ?? "");
}

/** Whether a reason comes from the scheduler plugin NodeResourcesFit, which reports everything that a node lacks. */
function isFromResourcesFit(reason: Reason): boolean {
  return reason.class === "insufficient" || reason.class === "too-many-pods";
}

/**
 * The reasons of a message that concern nodes which could give the pod a GPU. Nodes without GPUs often lack CPU or
 * memory as well, as small system nodes do; that does not keep a GPU pod waiting.
 */
export function relevantReasons(pod: Pod, message: SchedulerMessage, snapshot: ClusterSnapshot): readonly Reason[] {
  const { nodes, reasons } = message;
  const others = reasons.filter((reason) => isFromResourcesFit(reason) && !isGpuShortage(reason));
  if (others.length === 0 || nodes === undefined || !reasons.some(isGpuShortage)) return reasons;
  const withGpus = countNodesWithGpus(nodes, reasons);
  const relevant =
    withGpus > 0 ? lackedByNodesWithGpus(pod, others, snapshot) : lackedByEligibleNodes(pod, others, snapshot);
  const max = withGpus > 0 ? withGpus : eligibleNodes(pod, snapshot).length;
  return reasons.flatMap((reason) => {
    if (!others.includes(reason)) return [reason];
    return relevant.includes(reason) ? [{ ...reason, nodes: Math.min(reason.nodes ?? max, max) }] : [];
  });
}

/**
 * The number of nodes that have the GPUs but lack something else. The scheduler counts a node for one plugin only, so
 * these are the nodes that neither lack a GPU nor were rejected by another plugin.
 */
function countNodesWithGpus(nodes: number, reasons: readonly Reason[]): number {
  const counts = (selected: readonly Reason[]) => selected.map((reason) => reason.nodes ?? 0);
  const withoutGpu = Math.max(...counts(reasons.filter(isGpuShortage)));
  const rejected = counts(reasons.filter((reason) => !isFromResourcesFit(reason))).reduce((sum, one) => sum + one, 0);
  return nodes - withoutGpu - rejected;
}

/** The reasons that apply to the nodes with free GPUs; all reasons if the amounts do not show which. */
function lackedByNodesWithGpus(pod: Pod, reasons: readonly Reason[], snapshot: ClusterSnapshot): readonly Reason[] {
  const nodes = nodesWithFreeGpus(pod, snapshot);
  const lacked = reasons.filter((reason) => nodes.some((node) => lacks(node, resourceOf(reason), pod, snapshot)));
  return lacked.length > 0 ? lacked : reasons;
}

/** The reasons that would apply to every eligible node even if all of its GPUs were free. */
function lackedByEligibleNodes(pod: Pod, reasons: readonly Reason[], snapshot: ClusterSnapshot): readonly Reason[] {
  const nodes = eligibleNodes(pod, snapshot);
  const others = (node: Node) => snapshot.podsOn(node.metadata.name).filter((one) => !requestsGpu(one));
  return reasons.filter(
    (reason) => nodes.length > 0 && nodes.every((node) => lacks(node, resourceOf(reason), pod, snapshot, others(node))),
  );
}

function resourceOf({ class: kind, resource = "" }: Reason): string {
  return kind === "too-many-pods" ? "pods" : resource;
}

/** Whether a node has too little of a resource left for a pod, next to the pods on it. */
export function lacks(
  node: Node,
  resource: string,
  pod: Pod,
  { now, podsOn }: ClusterSnapshot,
  pods = podsOn(node.metadata.name),
): boolean {
  const amount = node.status.allocatable[resource];
  // A device plugin of a new node may still register. The kubelet's own resources are there from the start.
  if (amount === undefined) return resource.includes("/") && !isNew(node, now);
  const held = pods.filter(holdsResources).reduce((sum, one) => sum + requestOf(one, resource), 0);
  return numberOf(amount) - held < requestOf(pod, resource);
}

function requestOf({ spec }: Pod, resource: string): number {
  return resource === "pods" ? 1 : (requestsOf(spec).get(resource) ?? 0);
}
