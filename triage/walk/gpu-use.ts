import type { Node } from "../objects/node";
import type { Pod } from "../objects/pod";
import { gpuRequest, holdsResources, numberOf, selects, untolerated } from "./pods";
import type { Scene } from "./scene";

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

/** The GPU nodes that a pod's selector, affinity and tolerations let it onto, and how they stand. */
export function candidatesFor(pod: Pod, resource: string, scene: Scene): readonly Candidate[] {
  return scene.gpuNodes
    .filter((node) => selects(pod.spec, node) && untolerated(pod.spec.tolerations, node.spec.taints).length === 0)
    .filter((node) => node.spec.unschedulable !== true)
    .map((node) => {
      const amount = node.status.allocatable[resource];
      const offered = amount === undefined ? undefined : numberOf(amount);
      const holders = holdersOn(node, resource, scene);
      const held = holders.reduce((sum, holder) => sum + holder.amount, 0);
      return { node, offered, holders, free: Math.max(0, (offered ?? 0) - held) };
    });
}

export function holdersOn({ metadata }: Node, resource: string, scene: Scene): readonly Holder[] {
  return scene
    .podsOn(metadata.name)
    .filter(holdsResources)
    .map((pod) => ({ pod, amount: gpuRequest(pod.spec).get(resource) ?? 0 }))
    .filter(({ amount }) => amount > 0);
}
