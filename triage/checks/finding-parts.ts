import type { Evidence, NextStep, Scope } from "../conclusions";
import type { ClusterSnapshot } from "../snapshot/cluster-snapshot";
import type { Event, Node } from "../snapshot/objects/cluster";
import type { Condition, Meta } from "../snapshot/objects/common";
import type { ContainerStatus, Pod } from "../snapshot/objects/pod";
import { knownError } from "../snapshot/logs/known-errors";
import { kubectlName, podKey } from "../snapshot/pods";
import { joinPresent, listNames } from "./check-result";

/** The scope, evidence and commands of findings, for all checks. */

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

export function evidenceOf(object: string, field: string, value: string, at?: string): Evidence {
  return { object, field, value, ...(at !== undefined && { at }) };
}

export function nodeEvidence({ metadata }: { metadata: Meta }, field: string, value: string, at?: string): Evidence {
  return evidenceOf(kubectlName("node", metadata), field, value, at);
}

export function podEvidence({ metadata }: { metadata: Meta }, field: string, value: string, at?: string): Evidence {
  return evidenceOf(kubectlName("pod", metadata), field, value, at);
}

export function conditionEvidence({ metadata }: Node, condition: Condition): Evidence {
  return conditionEvidenceOf("node", metadata, condition);
}

export function conditionEvidenceOf(kind: string, metadata: Meta, condition: Condition): Evidence {
  const { type, status, reason, message, lastTransitionTime } = condition;
  const value = joinPresent(status, reason, message);
  return evidenceOf(kubectlName(kind, metadata), `condition ${type}`, value, lastTransitionTime);
}

export function eventEvidence({ involvedObject, reason, message, count = 1, lastTimestamp }: Event): Evidence {
  const value = `${message}${count > 1 ? ` (${count} times)` : ""}`;
  const object = kubectlName(involvedObject.kind.toLowerCase(), involvedObject);
  return evidenceOf(object, `event ${reason}`, value, lastTimestamp);
}

/** How a container ended, e.g. `with exit code 137 (OOMKilled)`. */
export function endText(end: ContainerStatus["state"]["terminated"]): string {
  if (!end) return "for an unknown reason";
  return `with exit code ${end.exitCode ?? "?"}${end.reason === undefined ? "" : ` (${end.reason})`}`;
}

/** The same with the known error that the container left behind. A report of a test is shown elsewhere. */
export function endEvidenceText(end: ContainerStatus["state"]["terminated"]): string {
  const error = end?.message !== undefined && knownError(end.message) !== undefined ? `: ${end.message}` : "";
  return `${endText(end)}${error}`;
}

/** `kubectl describe` of a pod, for its events. */
export function describePod({ metadata }: Pod, why = "Show the events of the pod"): NextStep {
  return { why, command: `kubectl describe ${kubectlName("pod", metadata)}` };
}

/** `i-0123456789abcdef0` of `aws:///ap-northeast-2a/i-0123456789abcdef0`. */
export function instanceId(node: Node | undefined): string {
  return /i-[0-9a-f]{8,17}$/.exec(node?.spec.providerID ?? "")?.[0] ?? "INSTANCE_ID";
}

export function sessionCommand(node: Node | undefined): string {
  return `aws ssm start-session --target ${instanceId(node)}`;
}

/** Opens a shell on a node, with the command to run there as a comment. */
export function onNode(node: Node | undefined, command: string): string {
  return `${sessionCommand(node)}   # then: ${command}`;
}

export const journalCommand = "sudo journalctl -u containerd --no-pager -n 300";

/**
 * `nvidia-smi` in a pod that has the GPU devices: the DCGM exporter's pod on a node, or any of them without a node. In
 * a chroot of a debug pod nvidia-smi fails on healthy nodes.
 */
export function nvidiaSmiCommand(
  { operatorNamespace }: Pick<ClusterSnapshot, "operatorNamespace">,
  node?: string,
  query = "nvidia-smi -L",
): string {
  const kubectl = `kubectl -n ${operatorNamespace}`;
  const pod =
    node === undefined
      ? "ds/nvidia-dcgm-exporter"
      : `"$(${kubectl} get pods -l app=nvidia-dcgm-exporter --field-selector spec.nodeName=${node} -o name)"`;
  return `${kubectl} exec ${pod} -- ${query}`;
}
