import type { Evidence, Steps, Scope } from "../conclusions";
import type { ClusterSnapshot } from "../snapshot/cluster-snapshot";
import type { Event, Node } from "../snapshot/objects/cluster";
import type { Condition, Meta } from "../snapshot/objects/common";
import type { ContainerStatus, Pod } from "../snapshot/objects/pod";
import { testReport } from "../snapshot/logs/test-report";
import { gpuResource, hostPluginOf } from "../snapshot/nodes";
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

/** What a node advertises and has. */
export function gpuAmounts(node: Node): Evidence {
  const [allocatable, capacity] = [node.status.allocatable, node.status.capacity].map((one) => one[gpuResource]);
  const value = `"${allocatable ?? "missing"}", "${capacity ?? "missing"}"`;
  return nodeEvidence(node, `status.allocatable[${gpuResource}], capacity`, value);
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

/** Exit codes that say more than an error of the program. A signal N gives 128 + N. */
const exitCodes: Readonly<Partial<Record<number, string>>> = {
  126: "the command cannot be executed",
  127: "the command was not found",
  132: "SIGILL: an instruction that the CPU does not have",
  134: "SIGABRT",
  135: "SIGBUS",
  137: "SIGKILL",
  139: "SIGSEGV",
  143: "SIGTERM",
};

/** How a container ended, e.g. `with exit code 137 (OOMKilled)`. */
export function endText(end: ContainerStatus["state"]["terminated"]): string {
  if (!end) return "for an unknown reason";
  const { exitCode, reason } = end;
  const meaning = reason === "OOMKilled" ? "" : exitCodes[exitCode ?? 0];
  const text = joinPresent(reason, meaning);
  return `with exit code ${exitCode ?? "?"}${text === "" ? "" : ` (${text})`}`;
}

/** The same with the error that the container left behind. A report of a test is shown elsewhere. */
export function endEvidenceText(end: ContainerStatus["state"]["terminated"]): string {
  const error = end?.message !== undefined && !testReport(end.message) ? `: ${end.message}` : "";
  return `${endText(end)}${error}`;
}

/** What the log of a container says at its end. */
export function logEvidence(pod: Pod, container: string, { logs }: Pick<ClusterSnapshot, "logs">): Evidence[] {
  const { namespace = "default", name } = pod.metadata;
  return logs
    .filter((one) => one.namespace === namespace && one.pod === name && (one.container ?? container) === container)
    .flatMap(({ lines }) => lines.slice(-3).map((line) => podEvidence(pod, "log", line)));
}

export function isOutOfMemory(end: ContainerStatus["state"]["terminated"]): boolean {
  return end?.reason === "OOMKilled";
}

export function showLog({ metadata }: Pod, container: string): Steps {
  return {
    "Show the log of the previous run": `kubectl logs ${kubectlName("pod", metadata)} -c ${container} --previous --tail=50`,
  };
}

/** `kubectl describe` of a pod, for its events. */
export function describePod({ metadata }: Pod, why = "Show the events of the pod"): Steps {
  return { [why]: `kubectl describe ${kubectlName("pod", metadata)}` };
}

/** `i-0123456789abcdef0` of `aws:///ap-northeast-2a/i-0123456789abcdef0`. */
export function instanceId(node: Node | undefined): string {
  return /i-[0-9a-f]{8,17}$/.exec(node?.spec.providerID ?? "")?.[0] ?? "INSTANCE_ID";
}

function sessionCommand(node: Node | undefined): string {
  return `aws ssm start-session --target ${instanceId(node)}`;
}

/** Opens a shell on a node, with the command to run there as a comment. */
export function onNode(node: Node | undefined, command: string): string {
  const host = node && hostPluginOf(node);
  const debug = `kubectl debug node/${node?.metadata.name ?? "NODE"} -it --profile=sysadmin --image=public.ecr.aws/amazonlinux/amazonlinux:2023`;
  if (host === "EKS Auto Mode") return `${debug}   # then: chroot /host ${command}`;
  const shell = host === "Bottlerocket" ? "enter-admin-container; sudo sheltie; " : "";
  return `${sessionCommand(node)}   # then: ${shell}${command}`;
}

export function drainNode(node: Node | undefined): Steps {
  const { name = "NODE" } = node?.metadata ?? {};
  const why =
    "Recommended on EKS: replace the node. First drain it. Some pods cannot stop while the runtime is down, so the drain has a timeout";
  const drain = `kubectl drain ${name} --ignore-daemonsets --delete-emptydir-data --timeout=120s`;
  return { [why]: { changes: `kubectl cordon ${name} && ${drain}` } };
}

/** On EKS, a broken node is replaced rather than repaired: its node group or Karpenter starts another one. */
export function replaceNode(node: Node | undefined): Steps {
  const { name = "NODE", labels = {} } = node?.metadata ?? {};
  if ("karpenter.sh/nodepool" in labels) {
    const why = "Then delete the node: Karpenter terminates its instance, and starts another one for pods that wait";
    return { ...drainNode(node), [why]: { changes: `kubectl delete node ${name}` } };
  }
  const terminate = "aws autoscaling terminate-instance-in-auto-scaling-group";
  return {
    ...drainNode(node),
    "Then terminate the instance. Its node group starts a new one": {
      changes: `${terminate} --instance-id ${instanceId(node)} --no-should-decrement-desired-capacity`,
    },
  };
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
