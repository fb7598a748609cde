import type { Finding, NextStep } from "../../conclusions";
import type { KnownStep } from "../../known-causes/known-cause";
import { knownCauses, type KnownCauseId } from "../../known-causes/table";
import { isGpuComponent, nodeNamed, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { knownError } from "../../snapshot/logs/known-errors";
import { advertisesAllGpus, conditionOf, nodeGroupOf } from "../../snapshot/nodes";
import type { Node } from "../../snapshot/objects/cluster";
import { kubectlName, podKey } from "../../snapshot/pods";
import { nvidiaSmiCommand, onNode, scopeOfNodes } from "../finding-parts";
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
export function knownCause(id: KnownCauseId, message: Message, snapshot: ClusterSnapshot): Finding[] {
  const { text, evidence, node: name, pod } = message;
  const { of = "pod", what, next, changes = [], from } = knownCauses[id];
  if (of === "node" && name === undefined && pod !== undefined) return [];
  if (from === "component" && !isFromComponent(pod, snapshot)) return [];
  const nodes = name === undefined ? [] : [name];
  const node = nodeNamed(snapshot, name);
  const places = placesOf(node, pod, snapshot);
  return [
    {
      id,
      subject: of === "pod" && pod !== undefined ? `pod ${pod}` : nodeSubject(nodes),
      nodes,
      pods: pod === undefined ? [] : [pod],
      level: "problem",
      confidence: confidenceOf(id, message, node),
      what: what.replace("{xid}", () => xidText(text)),
      evidence: [evidence],
      next: [
        ...next.flatMap((step) => filledStep(step, places)),
        ...changes.flatMap((step) => filledStep(step, places)).map((step) => ({ ...step, changes: true as const })),
      ],
    },
  ];
}

function nodeSubject(nodes: readonly string[]): string {
  return nodes.length === 0 ? "the node of the journal" : scopeOfNodes(nodes).subject;
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

type Places = Readonly<Record<string, string | undefined>>;

/** What stands for the places in a command. A step with an unknown place is left out. */
function placesOf(node: Node | undefined, key: string | undefined, snapshot: ClusterSnapshot): Places {
  const [namespace = "NAMESPACE", pod = "POD"] = key?.split("/") ?? [];
  return {
    namespace,
    pod: kubectlName("pod", { namespace, name: pod }),
    node: node?.metadata.name ?? "NODE",
    shell: onNode(node, ""),
    smi: nvidiaSmiCommand(snapshot, node?.metadata.name, "nvidia-smi"),
    operator: snapshot.operatorNamespace,
    cluster: snapshot.clusterName,
    group: node && nodeGroupOf(node),
  };
}

function filledStep(step: KnownStep, places: Places): NextStep[] {
  const [why = "", text = ""] = step.split(" => ");
  const names = [...text.matchAll(/\{(\w+)\}/g)].flatMap(([, name = ""]) => (name in places ? name : []));
  if (names.some((name) => places[name] === undefined)) return [];
  const command = names.reduce((filled, name) => filled.replace(`{${name}}`, () => places[name] ?? ""), text);
  return [{ why, command }];
}

const confidences = ["possible", "likely", "certain"] as const;

function weakest(...levels: readonly (Finding["confidence"] | undefined)[]): Finding["confidence"] {
  return confidences.find((level) => levels.includes(level)) ?? "certain";
}

/**
 * How far the state of the cluster agrees with a known error. A program can print a message for many reasons, so a line
 * of a log is certain only if the node also lacks the GPUs that the fault takes away.
 */
function confidenceOf(
  id: KnownCauseId,
  { confidence, evidence }: Message,
  node: Node | undefined,
): Finding["confidence"] {
  const { confidence: best, stops } = knownCauses[id];
  const hasPressure = node && conditionOf(node.status.conditions, "DiskPressure")?.status === "True";
  if (id === "disk-full" && hasPressure) return weakest(confidence);
  const hasGpus = node !== undefined && advertisesAllGpus(node);
  const isContradicted = stops === "driver" && hasGpus;
  const isConfirmed = stops !== undefined && node !== undefined && !hasGpus;
  const isOnlySaid = evidence.field === "log" && !isConfirmed;
  return weakest(confidence, best, isContradicted || isOnlySaid ? "likely" : undefined);
}
