import type { Reason, SchedulerMessage } from "../../classify/scheduler";
import type { Node } from "../../objects/node";
import type { Pod } from "../../objects/pod";
import { meantFor, nodesWithRoom } from "../gpu-use";
import { asksForGpu, holdsResources } from "../pods";
import { numberOf, requestsOf } from "../requests";
import { isGpuResource, type Scene } from "../scene";
import { isYoung } from "../age";

export function isShortage(reason: Reason): boolean {
  return reason.class === "insufficient" && isGpuResource(reason.resource ?? "");
}

/** Of the scheduler's plugin NodeResourcesFit, which names everything that a node lacks at once. */
function isOfFit(reason: Reason): boolean {
  return reason.class === "insufficient" || reason.class === "too-many-pods";
}

/**
 * The reasons of a message that are about nodes which could give the pod a GPU. That nodes without GPUs lack CPU or
 * memory as well, as small system nodes do, keeps no pod waiting that asks for a GPU.
 */
export function reasonsThatMatter(pod: Pod, message: SchedulerMessage, scene: Scene): readonly Reason[] {
  const { nodes, reasons } = message;
  const beside = reasons.filter((reason) => isOfFit(reason) && !isShortage(reason));
  if (beside.length === 0 || nodes === undefined || !reasons.some(isShortage)) return reasons;
  const short = nodesThatLackOnlyOthers(nodes, reasons);
  const shown = short > 0 ? ofRoomy(pod, beside, scene) : ofAllMeant(pod, beside, scene);
  const most = short > 0 ? short : meantFor(pod, scene).length;
  return reasons.flatMap((reason) => {
    if (!beside.includes(reason)) return [reason];
    return shown.includes(reason) ? [{ ...reason, nodes: Math.min(reason.nodes ?? most, most) }] : [];
  });
}

/**
 * How many nodes have the GPUs and lack something else. Each node has the reasons of one plugin of the scheduler, so
 * these are the ones that neither lack a GPU nor were refused by another plugin.
 */
function nodesThatLackOnlyOthers(nodes: number, reasons: readonly Reason[]): number {
  const count = (picked: readonly Reason[]) => picked.map((reason) => reason.nodes ?? 0);
  const withoutGpu = Math.max(...count(reasons.filter(isShortage)));
  const elsewhere = count(reasons.filter((reason) => !isOfFit(reason))).reduce((sum, one) => sum + one, 0);
  return nodes - withoutGpu - elsewhere;
}

/** What the nodes with free GPUs lack; all of it where the numbers do not tell. */
function ofRoomy(pod: Pod, reasons: readonly Reason[], scene: Scene): readonly Reason[] {
  const roomy = nodesWithRoom(pod, scene);
  const lacked = reasons.filter((reason) =>
    roomy.some((node) => lacks(node, resourceOf(reason), pod, scene.podsOn(node.metadata.name), scene)),
  );
  return lacked.length > 0 ? lacked : reasons;
}

/** What every node that the pod is meant for would lack even if all of its GPUs were free. */
function ofAllMeant(pod: Pod, reasons: readonly Reason[], scene: Scene): readonly Reason[] {
  const meant = meantFor(pod, scene);
  const others = (node: Node) => scene.podsOn(node.metadata.name).filter((one) => !asksForGpu(one));
  return reasons.filter(
    (reason) => meant.length > 0 && meant.every((node) => lacks(node, resourceOf(reason), pod, others(node), scene)),
  );
}

function resourceOf({ class: kind, resource = "" }: Reason): string {
  return kind === "too-many-pods" ? "pods" : resource;
}

function lacks(node: Node, resource: string, pod: Pod, pods: readonly Pod[], { now }: Scene): boolean {
  const has = node.status.allocatable[resource];
  // A device plugin may not have offered it yet. The kubelet tells what it has itself from the start.
  if (has === undefined) return resource.includes("/") && !isYoung(node, now);
  const held = pods.filter(holdsResources).reduce((sum, one) => sum + amountOf(one, resource), 0);
  return numberOf(has) - held < amountOf(pod, resource);
}

function amountOf({ spec }: Pod, resource: string): number {
  return resource === "pods" ? 1 : (requestsOf(spec).get(resource) ?? 0);
}
