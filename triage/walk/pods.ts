import type { Meta, Requirement, Toleration } from "../objects/common";
import type { Node, Taint } from "../objects/node";
import type { ContainerStatus, Pod, PodSpec } from "../objects/pod";
import { requestsOf } from "./requests";
import { isGpuResource } from "./scene";

/** How kubectl is told about an object: `-n gpu-lab pod/probe`. */
export function kubectlName(kind: string, { namespace, name }: Pick<Meta, "name" | "namespace">): string {
  return `${namespace === undefined ? "" : `-n ${namespace} `}${kind}/${name}`;
}

/** What a pod asks for of each GPU resource. */
export function gpuRequest(spec: PodSpec): ReadonlyMap<string, number> {
  return new Map([...requestsOf(spec)].filter(([name]) => isGpuResource(name)));
}

export function asksForGpu(pod: Pod): boolean {
  return gpuRequest(pod.spec).size > 0;
}

/** Whether a pod holds what it has asked for: it has a node and has not ended. */
export function holdsResources({ spec, status }: Pod): boolean {
  return spec.nodeName !== undefined && status.phase !== "Succeeded" && status.phase !== "Failed";
}

export function isPending({ spec, status, metadata }: Pod): boolean {
  return status.phase === "Pending" && spec.nodeName === undefined && metadata.deletionTimestamp === undefined;
}

/** Whether a pod neither runs nor has done its work. */
export function isUnwell({ status }: Pod): boolean {
  return status.phase !== "Running" && status.phase !== "Succeeded";
}

/** Whether any container of a pod has ever run. */
export function hasRun(pod: Pod): boolean {
  return allStatuses(pod).some(({ state, lastState }) => state.running ?? state.terminated ?? lastState.terminated);
}

/** The containers of a pod that ended with an error. */
export function badEnds(pod: Pod): ContainerStatus[] {
  return allStatuses(pod).filter(({ state }) => state.terminated && state.terminated.exitCode !== 0);
}

/** The containers of a pod that ended without an error, and that the kubelet starts again all the same. */
export function endsToRepeat({ spec, status }: Pod): ContainerStatus[] {
  if ((spec.restartPolicy ?? "Always") !== "Always" || status.phase !== "Running") return [];
  return status.containerStatuses.filter(({ state }) => state.terminated?.exitCode === 0);
}

export function allStatuses({ status }: Pod): readonly ContainerStatus[] {
  return [...status.initContainerStatuses, ...status.containerStatuses];
}

/** Whether node selector and required affinity let a pod onto a node. */
export function selects(spec: PodSpec, { metadata }: Node): boolean {
  const labels = metadata.labels;
  const selected = Object.entries(spec.nodeSelector).every(([key, value]) => labels[key] === value);
  const terms = spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
  const fields = { "metadata.name": metadata.name };
  const wanted = terms.some(
    ({ matchExpressions, matchFields }) =>
      matchExpressions.every((one) => meets(one, labels)) && matchFields.every((one) => meets(one, fields)),
  );
  return selected && (terms.length === 0 || wanted);
}

function meets({ key, operator, values }: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[key];
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return Number(value) > Number(values[0]);
    case "Lt":
      return Number(value) < Number(values[0]);
    default:
      return true;
  }
}

/** The taints that keep a pod off a node. */
export function untolerated(tolerations: readonly Toleration[], taints: readonly Taint[]): readonly Taint[] {
  return taints.filter(
    (taint) => taint.effect !== "PreferNoSchedule" && !tolerations.some((one) => tolerates(one, taint)),
  );
}

/** The same without those of a node's life cycle. */
export function untoleratedOwn(tolerations: readonly Toleration[], taints: readonly Taint[]): readonly Taint[] {
  return untolerated(tolerations, taints).filter(({ key }) => !isOfLifeCycle(key));
}

/** By Kubernetes of a node that is unwell or cordoned; by autoscalers and agents of one that comes or goes. */
const lifeCycle =
  /^(?:node\.(?:cloudprovider\.)?kubernetes\.io\/|karpenter\.sh\/(?:unregistered|disrupted|disruption)$|ToBeDeletedByClusterAutoscaler$|[\w.-]+\/agent-not-ready$)/;

/**
 * Whether a taint tells how a node stands and keeps every pod off it for a while: none of a pod's business to tolerate.
 *
 * @see https://karpenter.sh/docs/concepts/disruption/ and https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/install.md
 */
export function isOfLifeCycle(taintKey: string): boolean {
  return lifeCycle.test(taintKey);
}

function tolerates({ key, operator = "Equal", value = "", effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== "" && effect !== taint.effect) return false;
  if (key === undefined || key === "") return operator === "Exists";
  return key === taint.key && (operator === "Exists" || value === (taint.value ?? ""));
}

export function taintText({ key, value, effect }: Taint): string {
  return `${key}${value === undefined || value === "" ? "" : `=${value}`}:${effect}`;
}
