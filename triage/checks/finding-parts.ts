import { countOf } from "../../components/core/text";
import type { Evidence, Finding, Places, Scope } from "../conclusions";
import type { Step, StepList } from "../known-causes/known-cause";
import { nodeNamed, type ClusterSnapshot } from "../snapshot/cluster-snapshot";
import type { Event, Node } from "../snapshot/objects/cluster";
import type { Condition, Meta } from "../snapshot/objects/common";
import type { ContainerStatus, Pod } from "../snapshot/objects/pod";
import { testReport } from "../snapshot/logs/test-report";
import { gpuResource, hostPluginOf, nodeGroupOf } from "../snapshot/nodes";
import { kubectlName, podKey } from "../snapshot/pods";

/** What the check of one layer returns. */
export interface CheckResult {
  /** A summary of the layer for the report. */
  readonly lines: readonly string[];
  readonly findings: readonly Finding[];
  /** What was not checked because there is too much of it. */
  readonly leftOut?: readonly string[];
}

/** The first items, and a text such as `3 groups of waiting pods` for the rest. */
export function takeFirst<T>(items: readonly T[], max: number, noun: string, which: string) {
  const more = items.length - max;
  return { items: items.slice(0, max), leftOut: more > 0 ? [`${countOf(more, noun)} ${which}`] : [] };
}

/** The texts that are present, e.g. `Failed, Evicted`. */
export function joinPresent(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== "").join(", ");
}

/** The first few names, and how many more there are. */
export function listNames(names: readonly string[], max = 3): string {
  const more = names.length - max;
  return `${names.slice(0, max).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

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

/** What a node advertises of a resource. */
export function allocatableEvidence(node: Node, resource: string = gpuResource): Evidence {
  return nodeEvidence(node, `status.allocatable[${resource}]`, node.status.allocatable[resource] ?? "missing");
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

export function showLog(container: string): Step {
  return `Show the log of the previous run => kubectl logs {pod} -c ${container} --previous --tail=50`;
}

export const describePod = "Show the events of the pod => kubectl describe {pod}";

export const drainNode =
  "Recommended on EKS: replace the node. First drain it. Some pods cannot stop while the runtime is down, so the drain has a timeout =!> kubectl cordon {node} && kubectl drain {node} --ignore-daemonsets --delete-emptydir-data --timeout=120s";

/** On EKS, a broken node is replaced rather than repaired: its node group or Karpenter starts another one. */
export function replaceNode(node: Node | undefined): StepList {
  return [drainNode, "karpenter.sh/nodepool" in (node?.metadata.labels ?? {}) ? deleteNode : terminateInstance];
}

const deleteNode =
  "Then delete the node: Karpenter terminates its instance, and starts another one for pods that wait =!> kubectl delete node {node}";
const terminateInstance =
  "Then terminate the instance. Its node group starts a new one =!> aws autoscaling terminate-instance-in-auto-scaling-group --instance-id {instance} --no-should-decrement-desired-capacity";

export const readJournal = "sudo journalctl -u containerd --no-pager -n 300";
export const passJournal: Step = `Read the containerd journal on the node, and pass it to triage with --log => {shell}${readJournal}`;

/** What stands for the places in the steps of a finding: its subject, its first node and its first pod. */
export function placesOf({ subject, nodes, pods }: Scope, snapshot: ClusterSnapshot): Places {
  const node = nodeNamed(snapshot, nodes[0]);
  const [, owner, name] = /^\S+ ([^\s/]+)\/(\S+)$/.exec(subject) ?? [];
  const [namespace = owner ?? "NAMESPACE", pod = "POD"] = pods[0]?.split("/") ?? [];
  return {
    namespace,
    name: name ?? "NAME",
    pod: kubectlName("pod", { namespace, name: pod }),
    node: nodes[0] ?? "NODE",
    instance: instanceOf(node),
    shell: shellOn(node),
    smi: nvidiaSmi(snapshot, node),
    operator: snapshot.operatorNamespace,
    cluster: snapshot.clusterName,
    group: node && nodeGroupOf(node),
  };
}

/** `i-0123456789abcdef0` of `aws:///ap-northeast-2a/i-0123456789abcdef0`. */
function instanceOf(node: Node | undefined): string {
  return /i-[0-9a-f]{8,17}$/.exec(node?.spec.providerID ?? "")?.[0] ?? "INSTANCE_ID";
}

/** Opens a shell on a node. The command to run there follows as a comment. */
function shellOn(node: Node | undefined): string {
  const host = node && hostPluginOf(node);
  const debug = `kubectl debug node/${node?.metadata.name ?? "NODE"} -it --profile=sysadmin --image=public.ecr.aws/amazonlinux/amazonlinux:2023`;
  if (host === "EKS Auto Mode") return `${debug}   # then: chroot /host `;
  const shell = host === "Bottlerocket" ? "enter-admin-container; sudo sheltie; " : "";
  return `aws ssm start-session --target ${instanceOf(node)}   # then: ${shell}`;
}

/**
 * `nvidia-smi` in a pod that has the GPU devices: the DCGM exporter's pod on a node, or any of them without a node.
 * Without an exporter, on the node itself. In a chroot of a debug pod nvidia-smi fails on healthy nodes.
 */
function nvidiaSmi({ operatorNamespace, objects, wasRead }: ClusterSnapshot, node: Node | undefined): string {
  const hasExporter = objects.daemonsets.some(({ metadata }) => metadata.name === "nvidia-dcgm-exporter");
  if (node && wasRead("daemonsets") && !hasExporter && hostPluginOf(node) !== "EKS Auto Mode") {
    return `${shellOn(node)}nvidia-smi`;
  }
  const kubectl = `kubectl -n ${operatorNamespace}`;
  const ofNode = `"$(${kubectl} get pods -l app=nvidia-dcgm-exporter --field-selector spec.nodeName=${node?.metadata.name} -o name)"`;
  return `${kubectl} exec ${node ? ofNode : "ds/nvidia-dcgm-exporter"} -- nvidia-smi`;
}
