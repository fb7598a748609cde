import type { Scope } from "./evidence";
import type { Node, Pod } from "./snapshot/objects/resources";
import { podKey } from "./snapshot/pods";
import { listNames } from "./texts";

/** The scope of a pod or a node, or the one that is given. */
export function scopeAbout(about: Scope | Pod | Node): Scope {
  if (!("kind" in about)) return about;
  return about.kind === "Pod" ? scopeOfPod(about) : scopeOfNodes([about.metadata.name]);
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

export function nodeNames(nodes: readonly Node[]): string[] {
  return nodes.map(({ metadata }) => metadata.name);
}
