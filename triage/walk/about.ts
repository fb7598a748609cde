import type { About } from "../finding";
import type { Node } from "../objects/node";
import type { Pod } from "../objects/pod";
import { some } from "./seen";

/** What a conclusion is about, in words and as data. */

export function aboutNode({ metadata }: Node): About {
  return aboutNodes([metadata.name]);
}

export function aboutNodes(names: readonly string[]): About {
  return { subject: `node${names.length === 1 ? "" : "s"} ${some(names)}`, nodes: names, pods: [] };
}

/** A pod, with the node that it is on; one that waits is about the nodes it waits for. */
export function aboutPod(pod: Pod, waitsFor: readonly Node[] = []): About {
  const { nodeName } = pod.spec;
  return { subject: podName(pod), nodes: nodeName === undefined ? names(waitsFor) : [nodeName], pods: [podKey(pod)] };
}

/** Something of the whole cluster, with the nodes that it bears on. */
export function aboutCluster(subject: string, nodes: readonly Node[] = []): About {
  return { subject, nodes: names(nodes), pods: [] };
}

export function podName(pod: Pod): string {
  return `pod ${podKey(pod)}`;
}

export function podKey({ metadata }: Pod): string {
  return `${metadata.namespace ?? "default"}/${metadata.name}`;
}

function names(nodes: readonly Node[]): string[] {
  return nodes.map(({ metadata }) => metadata.name);
}
