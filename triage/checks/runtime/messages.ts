import type { Finding } from "../../conclusions";
import { isOfNode } from "../../conclusions/known-causes";
import type { Doubt, Evidence } from "../../evidence";
import { nodeNamed, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { knownError } from "../../snapshot/logs/known-errors";
import { advertisesAllGpus } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import { isPodReady, kubectlName, podKey } from "../../snapshot/pods";
import { evidenceOf } from "../finding-parts";

/** A message about a pod or a node, and where it was found. */
export interface Message {
  readonly text: string;
  readonly evidence: Evidence;
  /** The name of the node. */
  readonly node?: string;
  /** The pod as `namespace/name`. */
  readonly pod?: string;
  /** How sure it is that the message is still true. @default certain */
  readonly atMost?: Doubt;
}

/** The evidence of findings about pods, as messages: states of containers, events, and the pod's own status. */
export function messagesOf(findings: readonly Finding[], snapshot: ClusterSnapshot): Message[] {
  return findings
    .filter(({ level }) => level !== "notice")
    .flatMap(({ evidence, atMost }) => evidence.map((one) => ({ evidence: one, atMost })))
    .flatMap(({ evidence, atMost }) => {
      const [, namespace, name] = /^-n (\S+) pod\/(\S+)$/.exec(evidence.object) ?? [];
      if (namespace === undefined || name === undefined || evidence.field === "log") return [];
      return [{ text: evidence.value, evidence, atMost, ...placeOf(`${namespace}/${name}`, snapshot) }];
    });
}

/** The newest line of each log that shows a known error. */
export function messagesInLogs(snapshot: ClusterSnapshot): Message[] {
  return snapshot.logs.flatMap(({ namespace, pod: name, lines }) => {
    const newest = new Map(lines.map((line) => [knownError(line), line]));
    return [...newest.values()].map((text) => ({
      text,
      atMost: isPast(`${namespace}/${name}`, snapshot) ? "possible" : undefined,
      evidence: evidenceOf(kubectlName("pod", { namespace, name }), "log", text),
      ...placeOf(`${namespace}/${name}`, snapshot),
    }));
  });
}

/** The newest line of the logs of a node for each known error. */
export function messagesInJournal({ journal }: ClusterSnapshot, node: Node | undefined, atMost: Doubt): Message[] {
  const lines = journal.filter((line) => isOfNode(knownError(line) ?? ""));
  const newest = new Map(lines.map((line) => [knownError(line), line]));
  const object = node ? kubectlName("node", node.metadata) : "journal";
  const place = node ? { node: node.metadata.name } : {};
  return [...newest.values()].map((text) => ({ text, atMost, evidence: evidenceOf(object, "log", text), ...place }));
}

/** Whether an error in the log of a pod may be over: the pod is ready, and its node advertises all of its GPUs. */
function isPast(key: string, snapshot: ClusterSnapshot): boolean {
  const pod = snapshot.objects.pods.find((one) => podKey(one) === key);
  const node = nodeNamed(snapshot, pod?.spec.nodeName);
  return pod !== undefined && isPodReady(pod) && node !== undefined && advertisesAllGpus(node);
}

function placeOf(key: string, { objects }: ClusterSnapshot): Pick<Message, "pod" | "node"> {
  const node = objects.pods.find((pod) => podKey(pod) === key)?.spec.nodeName;
  return { pod: key, ...(node !== undefined && { node }) };
}
