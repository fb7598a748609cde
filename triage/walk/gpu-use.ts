import { instanceType } from "../../components/nodes/machine/instance-types";
import type { Node } from "../objects/node";
import type { Pod } from "../objects/pod";
import { offerOf } from "./node/advertised";
import { isJoining } from "./node/joining";
import { pluginComes } from "./operator/plugin-daemonsets";
import { asksForGpu, gpuRequest, holdsResources, selects, untolerated, untoleratedOwn } from "./pods";
import { numberOf } from "./requests";
import { gpuResource, isReady, type Scene } from "./scene";
import { isYoung } from "./age";

/** Who holds a GPU resource of a node. */
export interface Holder {
  readonly pod: Pod;
  readonly amount: number;
}

/** A node that could take a pod but for its GPUs. */
export interface Candidate {
  readonly node: Node;
  /** What the node offers; undefined where the key is missing: no plugin ever registered. */
  readonly offered: number | undefined;
  readonly holders: readonly Holder[];
  readonly free: number;
}

/** The nodes that a pod is meant for: with GPUs if it asks for one, and as its own words let it onto them. */
export function meantFor(pod: Pod, scene: Scene): readonly Node[] {
  const nodes = asksForGpu(pod) ? scene.gpuNodes : scene.dump.objects.nodes;
  return nodes.filter(
    (node) => selects(pod.spec, node) && untoleratedOwn(pod.spec.tolerations, node.spec.taints).length === 0,
  );
}

/** Those of them that take pods, and how their GPUs stand. */
export function candidatesFor(pod: Pod, resource: string, scene: Scene): readonly Candidate[] {
  return meantFor(pod, scene)
    .filter((node) => untolerated(pod.spec.tolerations, node.spec.taints).length === 0)
    .filter((node) => node.spec.unschedulable !== true)
    .map((node) => {
      const amount = node.status.allocatable[resource];
      const offered = amount === undefined ? undefined : numberOf(amount);
      const holders = holdersOn(node, resource, scene);
      const held = holders.reduce((sum, holder) => sum + holder.amount, 0);
      return { node, offered, holders, free: Math.max(0, (offered ?? 0) - held) };
    });
}

/** The nodes that have every GPU that a pod asks for to give. */
export function nodesWithRoom(pod: Pod, scene: Scene): readonly Node[] {
  const asked = [...gpuRequest(pod.spec)];
  const rooms = asked.map(([resource, amount]) =>
    candidatesFor(pod, resource, scene).flatMap(({ node, free }) => (free >= amount ? [node] : [])),
  );
  return asked.length === 0 ? [] : meantFor(pod, scene).filter((node) => rooms.every((nodes) => nodes.includes(node)));
}

/** New nodes that will take a pod once they are Ready and offer what they have; without a device plugin none ever will. */
export function comingFor(pod: Pod, scene: Scene): readonly Node[] {
  if (asksForGpu(pod) && !pluginComes(scene)) return [];
  const isUnfinished = (node: Node) =>
    isJoining(node, scene.now) ||
    (isReady(node) && untolerated(pod.spec.tolerations, node.spec.taints).length > 0) ||
    (isReady(node) && asksForGpu(pod) && offerOf(node) === "missing");
  return meantFor(pod, scene).filter(
    (node) =>
      isYoung(node, scene.now) && node.spec.unschedulable !== true && isUnfinished(node) && isLargeEnough(node, pod),
  );
}

function isLargeEnough({ metadata }: Node, pod: Pod): boolean {
  const known = instanceType(metadata.labels["node.kubernetes.io/instance-type"] ?? "");
  return known === undefined || known.gpus >= (gpuRequest(pod.spec).get(gpuResource) ?? 0);
}

export function holdersOn({ metadata }: Node, resource: string, scene: Scene): readonly Holder[] {
  return scene
    .podsOn(metadata.name)
    .filter(holdsResources)
    .map((pod) => ({ pod, amount: gpuRequest(pod.spec).get(resource) ?? 0 }))
    .filter(({ amount }) => amount > 0);
}
