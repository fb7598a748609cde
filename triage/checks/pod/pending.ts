import type { Evidence, Finding, Found } from "../../conclusions";
import { notRead } from "../../confidence";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { Node } from "../../snapshot/objects/cluster";
import type { Pod } from "../../snapshot/objects/pod";
import { isPending } from "../../snapshot/pods";
import { numberOf } from "../../snapshot/requests";
import { isNew } from "../../snapshot/time";
import { missingClaim, resourceClaim } from "./resource-claim";
import { allocatableEvidence, evidenceOf, scopeOfPod, listNames } from "../finding-parts";
import { eligibleNodes, joiningNodes, nodesWithFreeGpus, targetNodes } from "./gpu-capacity";
import { gpuShortage, joiningText, waitLevel } from "./gpu-shortage";
import { selectorMismatch, untoleratedTaint } from "./placement";
import { isGpuShortage, lacks, relevantReasons } from "./resource-fit";
import type { Reason, ReasonClass, SchedulerMessage } from "./scheduler-message";
import { countedNodes, notSchedulable, schedulingOf, withoutReason } from "./scheduling";

/** Reasons that a node shows itself. They do not apply to a node that could take the pod. */
const placementReasons: readonly ReasonClass[] = ["taint", "node-selector", "cordoned"];

/** A pod that the scheduler rejected, with its message. */
interface Rejection {
  readonly pod: Pod;
  readonly message: SchedulerMessage;
  readonly evidence: readonly Evidence[];
  readonly snapshot: ClusterSnapshot;
}

/** Why a pod has no node. */
export function pendingFindings(pod: Pod, snapshot: ClusterSnapshot): readonly Finding[] {
  if (!isPending(pod)) return [];
  const { message, evidence } = schedulingOf(pod, snapshot);
  if (!message) return [missingClaim(pod, evidence, snapshot) ?? withoutReason(pod, evidence)];
  const rejection: Rejection = { pod, message, evidence, snapshot };
  const reasons = relevantReasons(pod, message, snapshot);
  const others = reasons.filter((one) => !isGpuShortage(one) && !placementReasons.includes(one.class));
  const freeNodes = reasons.some(isGpuShortage) && others.length > 0 ? nodesWithFreeGpus(pod, snapshot) : [];
  const found =
    freeNodes.length > 0
      ? reasonsOnFreeNodes(rejection, others, freeNodes)
      : reasons.flatMap((reason) => reasonFindings(rejection, reason));
  // A pod that does not tolerate several taints has one reason for each of them.
  const unique = [...new Map(found.map((finding) => [finding.id, finding])).values()];
  return unique.length > 0 ? unique : [schedulerReasons(rejection)];
}

/**
 * Nodes without GPUs lack GPUs in nearly every message. If a node has free GPUs, one of the other reasons keeps the pod
 * off it, and the shortage is about the other nodes.
 */
function reasonsOnFreeNodes(rejection: Rejection, reasons: readonly Reason[], freeNodes: readonly Node[]): Finding[] {
  const explained = reasons.map((reason) => ({ reason, findings: reasonFindings(rejection, reason) }));
  const findings = explained.flatMap((one) => one.findings);
  const rest = explained.filter((one) => one.findings.length === 0).map(({ reason }) => reason);
  if (rest.length === 0) return findings;
  const nodes = listNames(freeNodes.map(({ metadata }) => metadata.name));
  const text = `${reasonsText(rest)}. GPUs are free on ${nodes}`;
  const { pod } = rejection;
  const evidence = decisionOf(rejection);
  return [...findings, { ...notSchedulable(scopeOfPod(pod, freeNodes), text, evidence), atMost: "likely" }];
}

type ReasonCheck = (rejection: Rejection, reason: Reason) => Found;

/** The scheduler's own text covers reasons of all other classes. */
const reasonChecks: Readonly<Partial<Record<ReasonClass, ReasonCheck>>> = {
  insufficient: ({ pod, message, evidence, snapshot }, reason) =>
    isGpuShortage(reason)
      ? gpuShortage(pod, reason.resource ?? "", message, evidence, snapshot)
      : (notOffered(pod, reason, evidence, snapshot) ?? insufficientResource(pod, reason, evidence, snapshot)),
  taint: ({ pod, evidence, snapshot }, reason) => untoleratedTaint(pod, reason, evidence, snapshot),
  "node-selector": ({ pod, evidence, snapshot }) => selectorMismatch(pod, evidence, snapshot),
  volume: ({ pod, evidence, snapshot }, reason) => unboundClaim(pod, reason, evidence, snapshot),
  "topology-spread": (rejection) => topologySpread(rejection.pod, decisionOf(rejection)),
  "resource-claim": (rejection, { text }) => resourceClaim(rejection.pod, text, decisionOf(rejection)),
};

/** The scheduler's decision where nothing else shows its reason. */
function decisionOf({ message, evidence, snapshot }: Rejection): Evidence[] {
  return [...evidence, ...countedNodes(message, snapshot)];
}

function reasonFindings(rejection: Rejection, reason: Reason): readonly Finding[] {
  return [reasonChecks[reason.class]?.(rejection, reason) ?? []].flat();
}

/** All reasons unchanged, if no other conclusion covers them. */
function schedulerReasons(rejection: Rejection): Finding {
  const { pod, message, snapshot } = rejection;
  const joining = joiningNodes(pod, snapshot);
  const text = message.reasons.length > 0 ? reasonsText(message.reasons) : "the cluster has no node";
  const reason = joining.length > 0 ? `${text}. ${joiningText(joining, snapshot)}` : text;
  const finding = notSchedulable(scopeOfPod(pod, eligibleNodes(pod, snapshot)), reason, decisionOf(rejection));
  return { ...finding, level: waitLevel(pod, joining, snapshot) };
}

function reasonsText(reasons: readonly Reason[]): string {
  return reasons.map(({ nodes, text }) => `${nodes ?? ""} ${text}`.trim()).join("; ");
}

/** A resource of a device plugin that no node of the cluster offers. */
function notOffered(
  pod: Pod,
  { resource = "" }: Reason,
  evidence: readonly Evidence[],
  { objects, wasRead, now }: ClusterSnapshot,
): Finding | undefined {
  const isOffered = objects.nodes.some(({ status }) => numberOf(status.allocatable[resource]) > 0);
  if (!resource.includes("/") || isOffered || !wasRead("nodes")) return undefined;
  const isEfa = resource === "vpc.amazonaws.com/efa";
  const column = resource.replace(/\./g, "\\.");
  return {
    id: "resource-not-offered",
    ...scopeOfPod(pod),
    // The device plugin of a new node may still register.
    atMost: objects.nodes.some((node) => isNew(node, now)) ? "likely" : undefined,
    what: `No node offers ${resource}, which the pod requests. ${isEfa ? "The EFA device plugin does not run, or no node has an EFA interface." : "The device plugin of this resource does not run, or no node has such a device."}`,
    evidence: [
      ...evidence,
      evidenceOf("nodes", `status.allocatable[${resource}]`, `none of ${objects.nodes.length} nodes`),
    ],
    next: [
      `Show what the nodes offer. Remove the request, or install the device plugin on nodes that have the device => kubectl get nodes -o custom-columns='NAME:.metadata.name,TYPE:.metadata.labels.node\\.kubernetes\\.io/instance-type,OFFERS:.status.allocatable.${column}'`,
      "Show the device plugins of the cluster => kubectl get daemonsets -A | grep -i -E 'device-plugin|efa'",
    ],
  };
}

function insufficientResource(
  pod: Pod,
  { resource = "", nodes }: Reason,
  evidence: readonly Evidence[],
  snapshot: ClusterSnapshot,
): Finding {
  const short = targetNodes(pod, snapshot).filter((node) => lacks(node, resource, pod, snapshot));
  const subject = nodes === undefined ? "The nodes have" : nodes === 1 ? "1 node has" : `${nodes} nodes have`;
  return {
    id: "insufficient-resource",
    ...scopeOfPod(pod),
    // The nodes can have more left by now, and pods that were not read can hold the rest.
    atMost: short.length > 0 ? undefined : "likely",
    what: `${subject} too little ${resource} left for the pod's request.`,
    evidence: [...evidence, ...short.slice(0, 3).map((node) => allocatableEvidence(node, resource))],
    next: "Compare the request of the pod with the allocated resources of the nodes => kubectl describe nodes | grep -A 8 'Allocated resources'; kubectl get {pod} -o jsonpath='{.spec.containers[*].resources}'",
  };
}

function unboundClaim(
  pod: Pod,
  reason: Reason,
  evidence: readonly Evidence[],
  { objects, wasRead }: ClusterSnapshot,
): Finding {
  const namespace = pod.metadata.namespace ?? "default";
  const names = pod.spec.volumes.flatMap((one) =>
    "persistentVolumeClaim" in one ? one.persistentVolumeClaim.claimName : [],
  );
  const unbound = names.flatMap((name): Evidence[] => {
    const claim = objects.persistentvolumeclaims.find(
      ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
    );
    if (claim?.status.phase === "Bound") return [];
    const missing = wasRead("persistentvolumeclaims") ? "does not exist" : notRead;
    const value = claim ? `${claim.status.phase}, StorageClass ${claim.spec.storageClassName ?? "none"}` : missing;
    return [{ object: `-n ${namespace} pvc/${name}`, field: "status.phase", value }];
  });
  return {
    id: "unbound-volume-claim",
    ...scopeOfPod(pod),
    // A claim that is bound by now, or bound to a volume in another zone.
    atMost: unbound.length > 0 || names.length === 0 ? undefined : "likely",
    what: `The pod waits for a volume: ${reason.text}.`,
    evidence: [...evidence, ...unbound],
    next: [
      `Show the events of the claim, which name what its StorageClass lacks. On EKS this is often the EBS CSI driver => ${["kubectl -n", namespace, "describe pvc", ...names].join(" ")}`,
      "Check for a default StorageClass and its driver => kubectl get storageclass,csidriver",
    ],
  };
}

function topologySpread(pod: Pod, evidence: readonly Evidence[]): Finding {
  return {
    id: "topology-spread",
    ...scopeOfPod(pod),
    what: "The topology spread constraints of the pod exclude every node: another pod would exceed the allowed skew.",
    evidence,
    next: "Show the constraints. Then add a node in the required topology domain, or set whenUnsatisfiable: ScheduleAnyway => kubectl get {pod} -o jsonpath='{.spec.topologySpreadConstraints}'",
  };
}
