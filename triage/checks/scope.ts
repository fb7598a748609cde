import type { Scope } from "../conclusions";
import type { Node } from "../snapshot/objects/cluster";
import type { Pod } from "../snapshot/objects/pod";
import { podKey } from "../snapshot/pods";
import { listNames } from "./check-result";

export function scopeOfNode({ metadata }: Node): Scope {
  return scopeOfNodes([metadata.name]);
}

export function scopeOfNodes(names: readonly string[]): Scope {
  return { subject: `node${names.length === 1 ? "" : "s"} ${listNames(names)}`, nodes: names, pods: [] };
}

/** A pod with its node, or with the nodes that it waits for. */
export function scopeOfPod(pod: Pod, waitsFor: readonly Node[] = []): Scope {
  const { nodeName } = pod.spec;
  const nodes = nodeName === undefined ? nodeNames(waitsFor) : [nodeName];
  return { subject: podName(pod), nodes, pods: [podKey(pod)] };
}

/** An object that is neither a node nor a pod, with the nodes that it affects. */
export function scopeOf(subject: string, nodes: readonly Node[] = []): Scope {
  return { subject, nodes: nodeNames(nodes), pods: [] };
}

export function podName(pod: Pod): string {
  return `pod ${podKey(pod)}`;
}

function nodeNames(nodes: readonly Node[]): string[] {
  return nodes.map(({ metadata }) => metadata.name);
}
