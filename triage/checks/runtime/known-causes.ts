import { finding, type Finding, type Found } from "../../conclusions";
import { knownCauses, type KnownCauseId } from "../../conclusions/known-causes";
import { weakest } from "../../confidence";
import type { Doubt, Evidence } from "../../evidence";
import { isGpuComponent, nodeNamed, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { knownError } from "../../snapshot/logs/known-errors";
import { advertisesAllGpus, conditionOf } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import { podKey } from "../../snapshot/pods";
import { scopeOf, scopeOfNodes, type Scope } from "../../scope";
import { conditionEvidence, gpuAmounts } from "../finding-parts";
import { meaningOf } from "../node/condition-reasons";
import type { Message } from "./messages";

/** The conclusions that known errors in messages show. */
export function causesInMessages(messages: readonly Message[], snapshot: ClusterSnapshot): Finding[] {
  return messages.flatMap((message) => {
    const id = knownError(message.text);
    return id === undefined || id === "device-plugin-disabled" ? [] : knownCause(id, message, snapshot);
  });
}

/** A conclusion from a message; none about a node if the pod has no node. */
export function knownCause(id: KnownCauseId, message: Message, snapshot: ClusterSnapshot): Found {
  const { text, evidence, node: name, pod } = message;
  const { of, from } = knownCauses[id];
  if (of === "node" && name === undefined && pod !== undefined) return [];
  if (from === "component" && !isFromComponent(pod, snapshot)) return [];
  const node = nodeNamed(snapshot, name);
  const sign = confirmation(id, node);
  return finding(id, scopeOfMessage(message, of), {
    level: isWeakAndPast(id, message) ? "notice" : "problem",
    atMost: doubtOf(id, message, node, sign !== undefined),
    evidence: [evidence, sign?.field === evidence.field ? undefined : sign],
    xid: xidText(text),
  });
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

function isFromComponent(key: string | undefined, snapshot: ClusterSnapshot): boolean {
  const pod = snapshot.objects.pods.find((one) => podKey(one) === key);
  return pod !== undefined && isGpuComponent(pod, snapshot);
}

function xidText(text: string): string {
  const code = /Xid(?: \(PCI:[^)]*\))?\D{0,3}(\d+)/.exec(text)?.[1];
  const meaning = code === undefined ? undefined : meaningOf(`NvidiaXID${code}Error`);
  return meaning === undefined ? "" : ` (${meaning})`;
}

/** What the node of a known error shows beside it: the lack of GPUs or of space on its disk. */
function confirmation(id: KnownCauseId, node: Node | undefined): Evidence | undefined {
  if (!node) return undefined;
  const pressure = conditionOf(node.status.conditions, "DiskPressure");
  if (id === "disk-full" && pressure?.status === "True") return conditionEvidence(node, pressure);
  return knownCauses[id].stops === undefined || advertisesAllGpus(node) ? undefined : gpuAmounts(node);
}

/** A node that advertises all of its GPUs contradicts a fault of its driver. */
function doubtOf(id: KnownCauseId, { atMost }: Message, node: Node | undefined, isConfirmed: boolean): Doubt {
  const { atMost: best, stops } = knownCauses[id];
  if (id === "disk-full" && isConfirmed) return atMost;
  const isContradicted = stops === "driver" && node !== undefined && advertisesAllGpus(node);
  return weakest(atMost, best, isContradicted ? "likely" : undefined);
}
