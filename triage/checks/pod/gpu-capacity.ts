import { untolerated } from "../../../components/core/kubernetes";
import { instanceType } from "../../../components/nodes/machine/instance-types";
import { expectsDevicePlugin, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import {
  gpuAdvertisement,
  gpuResource,
  instanceTypeOf,
  isJoining,
  isNodeDown,
  isNodeReady,
} from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import type { Pod } from "../../snapshot/objects/pod";
import { gpuRequest, holdsResources, requestsGpu, selectsNode, untoleratedPermanent } from "../../snapshot/pods";
import { numberOf } from "../../snapshot/requests";
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

/** The pods that hold a resource of a node. */
export function holdersOn({ metadata }: Node, resource: string, { podsOn }: ClusterSnapshot): readonly Holder[] {
  return podsOn(metadata.name)
    .filter(holdsResources)
    .map((pod) => ({ pod, amount: gpuRequest(pod.spec).get(resource) ?? 0 }))
    .filter(({ amount }) => amount > 0);
}
