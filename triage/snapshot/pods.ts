import { hasLabels, meetsRequirement, untolerated } from "../../components/core/kubernetes";
import { isGpuResource, isLifecycleTaint } from "./nodes";
import type { ContainerStatus, Meta, Node, Pod, PodSpec, Taint } from "./objects/resources";
import { oncePerSpec, requestsOf } from "./requests";

/** The reasons of the events that triage reads, by what they are about. */
export const eventReasons = {
  /** The scheduler or a controller rejects a pod. */
  rejected: ["FailedScheduling", "FailedCreate", "FailedResourceClaimCreation"],
  /** An autoscaler adds a node for a pod, or not. */
  scaleUp: ["TriggeredScaleUp", "NotTriggerScaleUp", "Nominated"],
  /** A pod that has a node, before the kubelet starts its containers. */
  start: [
    ...["FailedMount", "FailedAttachVolume", "FailedMapVolume"],
    ...["FailedCreatePodSandBox", "NetworkNotReady", "FailedPrepareDynamicResources"],
  ],
  /** A pod whose containers the kubelet cannot create or start. */
  container: ["Failed", "InspectFailed", "FailedSync"],
  /** A pod that the kubelet or the control plane stopped. */
  stop: ["UnexpectedAdmissionError", "Evicted", "NodeNotReady"],
  /** A container that the kubelet restarts. */
  probe: ["Killing", "Unhealthy"],
} satisfies Readonly<Record<string, readonly string[]>>;

/** The reasons of events of an autoscaler about a node group or a NodeClaim. */
export const groupScaleUpReasons: readonly string[] = [
  ...["FailedToScaleUpGroup", "ScaleUpTimedOut", "InsufficientCapacityError", "NodeClassNotReady"],
];

/** An object as an argument of kubectl: `-n gpu-lab pod/probe`. */
export function kubectlName(kind: string, { namespace, name }: Pick<Meta, "name" | "namespace">): string {
  return `${namespace === undefined ? "" : `-n ${namespace} `}${kind.toLowerCase()}/${name}`;
}

/** The key of a pod, `namespace/name`. */
export function podKey({ metadata }: Pod): string {
  return `${metadata.namespace ?? "default"}/${metadata.name}`;
}

export function isOwnedBy({ metadata }: Pod, kind: string): boolean {
  return metadata.ownerReferences.some((owner) => owner.kind === kind);
}

export const gpuRequest = oncePerSpec((spec) => new Map([...requestsOf(spec)].filter(([name]) => isGpuResource(name))));

export function requestsGpu(pod: Pod): boolean {
  return gpuRequest(pod.spec).size > 0;
}

/** Whether a pod holds the resources that it requests: it has a node and has not ended. */
export function holdsResources({ spec, status }: Pod): boolean {
  return spec.nodeName !== undefined && status.phase !== "Succeeded" && status.phase !== "Failed";
}

/** Whether a pod waits for a node. */
export function isPending({ spec, status, metadata }: Pod): boolean {
  return status.phase === "Pending" && spec.nodeName === undefined && metadata.deletionTimestamp === undefined;
}

/** Whether no scheduler has seen a pod, as in a manifest. */
export function isUnscheduled({ spec, status }: Pod): boolean {
  return spec.nodeName === undefined && status.phase === "";
}

/** Whether a pod neither runs nor has completed. */
export function isNotRunning({ status }: Pod): boolean {
  return status.phase !== "Running" && status.phase !== "Succeeded";
}

/** Whether a pod runs and all of its containers are ready. */
export function isPodReady({ status }: Pod): boolean {
  return status.phase === "Running" && status.containerStatuses.every(({ ready }) => ready);
}

export function hasRun(pod: Pod): boolean {
  return allStatuses(pod).some(({ state, lastState }) => state.running ?? state.terminated ?? lastState.terminated);
}

/** The containers of a pod that ended with an error. */
export function failedContainers(pod: Pod): ContainerStatus[] {
  return allStatuses(pod).filter(({ state }) => state.terminated && state.terminated.exitCode !== 0);
}

/** The containers of a pod that ended without an error and that the kubelet will restart. */
export function restartingContainers({ spec, status }: Pod): ContainerStatus[] {
  if ((spec.restartPolicy ?? "Always") !== "Always" || status.phase !== "Running") return [];
  return status.containerStatuses.filter(({ state }) => state.terminated?.exitCode === 0);
}

/** Whether a container ended with an error, or was restarted and is not ready. */
export function keepsEnding({ state, ready, restartCount }: ContainerStatus): boolean {
  const hasFailed = state.terminated !== undefined && state.terminated.exitCode !== 0;
  return hasFailed || state.waiting?.reason === "CrashLoopBackOff" || (!ready && restartCount > 0 && !state.terminated);
}

export function allStatuses({ status }: Pod): readonly ContainerStatus[] {
  return [...status.initContainerStatuses, ...status.containerStatuses];
}

/** Whether the node selector and the required node affinity of a pod match a node. */
export function selectsNode(spec: PodSpec, { metadata }: Node): boolean {
  const terms = spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
  const fields = { "metadata.name": metadata.name };
  const matchesTerm = terms.some(
    ({ matchExpressions, matchFields }) =>
      matchExpressions.every((one) => meetsRequirement(one, metadata.labels)) &&
      matchFields.every((one) => meetsRequirement(one, fields)),
  );
  return hasLabels(metadata.labels, spec.nodeSelector) && (terms.length === 0 || matchesTerm);
}

/** The taints that repel a pod and do not merely reflect the state of the node. */
export function untoleratedPermanent(tolerations: PodSpec["tolerations"], taints: readonly Taint[]): readonly Taint[] {
  return untolerated(tolerations, taints).filter(({ key }) => !isLifecycleTaint(key));
}

/** Whether Kueue holds a pod: it removes its scheduling gates when it admits the run of the pod. */
export function isHeldByKueue({ spec }: Pod): boolean {
  return spec.schedulingGates.some(({ name }) => name.startsWith("kueue.x-k8s.io/"));
}
