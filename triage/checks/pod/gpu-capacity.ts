import { untolerated } from "../../../components/core/kubernetes";
import { instanceType } from "../../../components/nodes/machine/instance-types";
import type { Reason, SchedulerMessage } from "./scheduler-message";
import { expectsDevicePlugin, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import {
  gpuAdvertisement,
  gpuResource,
  instanceTypeOf,
  isJoining,
  isNodeDown,
  isNodeReady,
  isGpuResource,
} from "../../snapshot/nodes";
import type { Node, Pod } from "../../snapshot/objects/resources";
import { gpuRequest, holdsResources, requestsGpu, selectsNode, untoleratedPermanent } from "../../snapshot/pods";
import { numberOf, requestsOf } from "../../snapshot/requests";
import { isNew } from "../../snapshot/time";

/** A pod that holds a GPU resource of a node. */
export interface Holder {
  readonly pod: Pod;
  readonly amount: number;
}

/** A node that could take a pod if it had enough free GPUs. */
export interface Candidate {
  readonly node: Node;
  /** Undefined if the node does not advertise the resource. */
  readonly allocatable: number | undefined;
  readonly holders: readonly Holder[];
  readonly free: number;
}

/** The nodes that a pod is meant for: GPU nodes if it requests a GPU, else all. */
export function targetNodes(pod: Pod, { gpuNodes, objects }: ClusterSnapshot): readonly Node[] {
  return requestsGpu(pod) ? gpuNodes : objects.nodes;
}

/** The target nodes whose labels and permanent taints allow the pod. */
export function eligibleNodes(pod: Pod, snapshot: ClusterSnapshot): readonly Node[] {
  return targetNodes(pod, snapshot).filter(
    (node) => selectsNode(pod.spec, node) && untoleratedPermanent(pod.spec.tolerations, node.spec.taints).length === 0,
  );
}

/** The eligible nodes that accept pods now, with the state of their GPUs. */
export function candidateNodes(pod: Pod, resource: string, snapshot: ClusterSnapshot): readonly Candidate[] {
  return eligibleNodes(pod, snapshot)
    .filter((node) => !isNodeDown(node) && node.spec.unschedulable !== true)
    .filter(({ spec }) => untolerated(pod.spec.tolerations, spec.taints).length === 0)
    .map((node) => {
      const amount = node.status.allocatable[resource];
      const allocatable = amount === undefined ? undefined : numberOf(amount);
      const holders = holdersOn(node, resource, snapshot);
      return { node, allocatable, holders, free: Math.max(0, (allocatable ?? 0) - amountOf(holders)) };
    });
}

/** The nodes that have free GPUs for the whole request of a pod. */
export function nodesWithFreeGpus(pod: Pod, snapshot: ClusterSnapshot): readonly Node[] {
  const request = [...gpuRequest(pod.spec)];
  if (request.length === 0) return [];
  const fitting = request.map(([resource, amount]) =>
    candidateNodes(pod, resource, snapshot).flatMap(({ node, free }) => (free >= amount ? [node] : [])),
  );
  return eligibleNodes(pod, snapshot).filter((node) => fitting.every((nodes) => nodes.includes(node)));
}

/** The nodes that would have room for a pod if every GPU of them were advertised and they accepted pods. */
export function nodesWithSpareCapacity(pod: Pod, snapshot: ClusterSnapshot): readonly Node[] {
  const request = [...gpuRequest(pod.spec)];
  return eligibleNodes(pod, snapshot).filter((node) =>
    request.every(([resource, amount]) => {
      const known = resource === gpuResource ? instanceType(instanceTypeOf(node))?.gpus : undefined;
      const capacity = Math.max(numberOf(node.status.capacity[resource]), known ?? 0);
      return capacity - amountOf(holdersOn(node, resource, snapshot)) >= amount;
    }),
  );
}

/** New nodes that will take a pod once they are Ready and advertise their GPUs. */
export function joiningNodes(pod: Pod, snapshot: ClusterSnapshot): readonly Node[] {
  if (requestsGpu(pod) && !expectsDevicePlugin(snapshot)) return [];
  const isUnfinished = (node: Node) =>
    isJoining(node, snapshot.now) ||
    (isNodeReady(node) && untolerated(pod.spec.tolerations, node.spec.taints).length > 0) ||
    (isNodeReady(node) && requestsGpu(pod) && gpuAdvertisement(node) === "missing");
  return eligibleNodes(pod, snapshot).filter(
    (node) =>
      isNew(node, snapshot.now) && node.spec.unschedulable !== true && isUnfinished(node) && isLargeEnough(node, pod),
  );
}

function isLargeEnough(node: Node, pod: Pod): boolean {
  const known = instanceType(instanceTypeOf(node));
  return known === undefined || known.gpus >= (gpuRequest(pod.spec).get(gpuResource) ?? 0);
}

export function amountOf(holders: readonly Holder[]): number {
  return holders.reduce((sum, { amount }) => sum + amount, 0);
}

export function holdersOn({ metadata }: Node, resource: string, { podsOn }: ClusterSnapshot): readonly Holder[] {
  return podsOn(metadata.name)
    .filter(holdsResources)
    .map((pod) => ({ pod, amount: gpuRequest(pod.spec).get(resource) ?? 0 }))
    .filter(({ amount }) => amount > 0);
}

export function isGpuShortage(reason: Reason): boolean {
  return reason.class === "insufficient" && isGpuResource(reason.resource ?? "");
}

/** Whether a node shows the reason itself. Such a reason does not apply to a node that could take the pod. */
export function isPlacement(reason: Reason): boolean {
  return ["taint", "node-selector", "cordoned"].includes(reason.class);
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
