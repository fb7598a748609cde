import { finding, scopeOf, scopeOfNodes, type Finding, type Found } from "../../conclusions";
import { isOfNode, knownCauses, type KnownCauseId } from "../../conclusions/known-causes";
import { weakest } from "../../confidence";
import type { Doubt, Evidence, Scope } from "../../conclusions/entry";
import { isGpuComponent, nodeNamed, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { knownError } from "../../snapshot/logs/known-errors";
import { advertisesAllGpus, conditionOf } from "../../snapshot/nodes";
import type { Node, Pod } from "../../snapshot/objects/resources";
import { isOutOfMemory } from "../../texts";
import { allStatuses, isPodReady, kubectlName, podKey } from "../../snapshot/pods";
import { conditionEvidence, evidenceOf, gpuAmounts } from "../finding-parts";
import { meaningOf } from "../node/condition-reasons";

/** The conclusions that known errors in messages show. */
export function causesInMessages(messages: readonly Message[], snapshot: ClusterSnapshot): Finding[] {
  return messages.flatMap((message) => {
    const id = knownError(message.text);
    return id === undefined || id === "device-plugin-disabled" ? [] : knownCause(id, message, snapshot);
  });
}

/** A conclusion from a message; none about a node if the pod has no node. */
export function knownCause(id: KnownCauseId, message: Message, snapshot: ClusterSnapshot): Found {
  const { text, node: name, pod } = message;
  const { of, from } = knownCauses[id];
  if (of === "node" && name === undefined && pod !== undefined) return [];
  const own = snapshot.objects.pods.find((one) => podKey(one) === pod);
  if (from === "component" && !(own && isGpuComponent(own, snapshot))) return [];
  const node = nodeNamed(snapshot, name);
  const isDoubtful = isContradictedByEnd(id, own);
  const sign = signOf(id, node, snapshot);
  return finding(id, scopeOfMessage(message, of), {
    level: isWeakAndPast(id, message) || isDoubtful ? "notice" : "problem",
    atMost: isDoubtful ? "possible" : doubtOf(id, message, node, sign !== undefined),
    evidence: evidenceIn(message, sign),
    xid: xidText(text),
  });
}

function evidenceIn({ evidence, others = [] }: Message, sign: Evidence | undefined) {
  return [evidence, ...others, sign?.field === evidence.field ? undefined : sign];
}

/** A program without GPU memory ends by itself. The kernel kills one that exceeds the memory of the host. */
function isContradictedByEnd(id: KnownCauseId, pod: Pod | undefined): boolean {
  if (knownCauses[id].isGpuMemory !== true) return false;
  const ends = pod ? allStatuses(pod).map(({ state, lastState }) => state.terminated ?? lastState.terminated) : [];
  return ends.some((end) => isOutOfMemory(end) || end?.exitCode === 137);
}

/** A weak sign in the log of a pod that is ready, such as a connection that was tried again. */
function isWeakAndPast(id: KnownCauseId, { evidence, atMost }: Message): boolean {
  return evidence.field === "log" && atMost === "possible" && knownCauses[id].atMost !== undefined;
}

/** The pod of a message, or its node if the node has the fault. */
function scopeOfMessage({ node, pod }: Message, of: "node" | undefined): Scope {
  const ofNode = node === undefined ? scopeOf("the node of the journal") : scopeOfNodes([node]);
  if (pod === undefined) return ofNode;
  return { ...ofNode, pods: [pod], ...(of !== "node" && { subject: `pod ${pod}` }) };
}

function xidText(text: string): string {
  const code = /Xid(?: \(PCI:[^)]*\))?\D{0,3}(\d+)/.exec(text)?.[1];
  const meaning = code === undefined ? undefined : meaningOf(`NvidiaXID${code}Error`);
  return meaning === undefined ? "" : ` (${meaning})`;
}

/** What the node of a known error shows beside it: the lack of GPUs or of space on its disk. */
function signOf(id: KnownCauseId, node: Node | undefined, { lackingNodes }: ClusterSnapshot): Evidence | undefined {
  if (!node) return undefined;
  const pressure = conditionOf(node.status.conditions, "DiskPressure");
  if (id === "disk-full" && pressure?.status === "True") return conditionEvidence(node, pressure);
  return knownCauses[id].stops !== undefined && lackingNodes.includes(node) ? gpuAmounts(node) : undefined;
}

/** A node that advertises all of its GPUs contradicts a fault of its driver. */
function doubtOf(id: KnownCauseId, { atMost }: Message, node: Node | undefined, isConfirmed: boolean): Doubt {
  const { atMost: best, stops } = knownCauses[id];
  if (id === "disk-full" && isConfirmed) return atMost;
  const isContradicted = stops === "driver" && node !== undefined && advertisesAllGpus(node);
  return weakest(atMost, best, isContradicted ? "likely" : undefined);
}

/** A message about a pod or a node, and where it was found. */
interface Message {
  readonly text: string;
  readonly evidence: Evidence;
  /** The errors of the same log that no pattern names. */
  readonly others?: readonly Evidence[];
  readonly node?: string | undefined;
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

/** The newest line of each known error. */
function newestLines(lines: readonly string[]): string[] {
  return [...new Map(lines.map((line) => [knownError(line), line])).values()];
}

/** The newest line of each log that shows a known error. */
export function messagesInLogs(snapshot: ClusterSnapshot): Message[] {
  return snapshot.logs.flatMap(({ namespace, pod: name, lines }) => {
    const evidenceFor = (line: string) => evidenceOf(kubectlName("pod", { namespace, name }), "log", line);
    const others = lines.filter((line) => knownError(line) === undefined).map(evidenceFor);
    return newestLines(lines).map((text) => ({
      text,
      atMost: isPast(`${namespace}/${name}`, snapshot) ? ("possible" as const) : undefined,
      evidence: evidenceFor(text),
      others,
      ...placeOf(`${namespace}/${name}`, snapshot),
    }));
  });
}

/** The newest line of the logs of a node for each known error. */
export function messagesInJournal({ journal }: ClusterSnapshot, node: Node | undefined, atMost: Doubt): Message[] {
  const newest = newestLines(journal.filter((line) => isOfNode(knownError(line) ?? "")));
  const evidenceFor = (line: string) => evidenceOf(node ?? "journal", "log", line);
  return newest.map((text) => ({ text, atMost, evidence: evidenceFor(text), node: node?.metadata.name }));
}

/** Whether an error in the log of a pod may be over: the pod is ready, and its node advertises the GPUs that it has. */
function isPast(key: string, snapshot: ClusterSnapshot): boolean {
  const pod = snapshot.objects.pods.find((one) => podKey(one) === key);
  const node = nodeNamed(snapshot, pod?.spec.nodeName);
  return pod !== undefined && isPodReady(pod) && node !== undefined && !snapshot.lackingNodes.includes(node);
}

function placeOf(key: string, { objects }: ClusterSnapshot): Pick<Message, "pod" | "node"> {
  return { pod: key, node: objects.pods.find((pod) => podKey(pod) === key)?.spec.nodeName };
}
