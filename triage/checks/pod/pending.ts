import { finding, scopeOfPod, type Finding, type Found } from "../../conclusions";
import { notRead } from "../../confidence";
import type { Evidence, Scope } from "../../conclusions/entry";
import { named, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { conditionOf, isLifecycleTaint, taintText } from "../../snapshot/nodes";
import type { Node, Pod } from "../../snapshot/objects/resources";
import { isHeldByKueue, isPending, requestsGpu, selectsNode, untoleratedPermanent } from "../../snapshot/pods";
import { numberOf } from "../../snapshot/requests";
import { isNew } from "../../snapshot/time";
import { listNames } from "../../texts";
import { allocatableEvidence, evidenceOf } from "../finding-parts";
import {
  isGpuShortage,
  isPlacement,
  lacks,
  relevantReasons,
  eligibleNodes,
  joiningNodes,
  nodesWithFreeGpus,
  targetNodes,
} from "./gpu-capacity";
import { gpuShortage, joiningText, waitLevel } from "./gpu-shortage";
import { missingClaim, resourceClaim } from "./resource-claim";
import type { Reason } from "./scheduler-message";
import { waitsForQuota } from "./kueue";
import { countedNodes, schedulingOf, withoutReason, type Rejection } from "./scheduling";

export function pendingFindings(pod: Pod, snapshot: ClusterSnapshot): readonly Finding[] {
  if (!isPending(pod)) return [];
  const { message, evidence } = schedulingOf(pod, snapshot);
  if (isHeldByKueue(pod)) return [waitsForQuota(pod, snapshot)];
  if (!message) return [missingClaim(pod, evidence, snapshot) ?? withoutReason(pod, evidence)];
  const rejection: Rejection = { pod, message, evidence, snapshot };
  const reasons = relevantReasons(pod, message, snapshot);
  const others = reasons.filter((one) => !isGpuShortage(one) && !isPlacement(one));
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
  const other = finding("not-schedulable", scopeOfPod(rejection.pod, freeNodes), {
    atMost: "likely",
    evidence: decisionOf(rejection),
    reason: `${reasonsText(rest)}. GPUs are free on ${nodes}`,
  });
  return [...findings, other];
}

type ReasonCheck = (rejection: Rejection, reason: Reason) => Found;

/** The scheduler's own text covers reasons of all other classes. */
const reasonChecks: Readonly<Partial<Record<Reason["class"], ReasonCheck>>> = {
  insufficient: (rejection, reason) =>
    isGpuShortage(reason)
      ? gpuShortage(rejection, reason.resource ?? "")
      : (notOffered(rejection, reason) ?? insufficientResource(rejection, reason)),
  taint: untoleratedTaint,
  "node-selector": selectorMismatch,
  volume: unboundClaim,
  "topology-spread": (rejection) =>
    finding("topology-spread", scopeOfPod(rejection.pod), { evidence: decisionOf(rejection) }),
  "resource-claim": (rejection, { text }) => resourceClaim({ ...rejection, evidence: decisionOf(rejection) }, text),
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
  return finding("not-schedulable", scopeOfPod(pod, eligibleNodes(pod, snapshot)), {
    level: waitLevel(pod, joining, snapshot),
    evidence: decisionOf(rejection),
    reason: joining.length > 0 ? `${text}. ${joiningText(joining, snapshot)}` : text,
  });
}

function reasonsText(reasons: readonly Reason[]): string {
  return reasons.map(({ nodes, text }) => `${nodes ?? ""} ${text}`.trim()).join("; ");
}

/** A resource of a device plugin that no node of the cluster offers. */
function notOffered({ pod, evidence, snapshot }: Rejection, { resource = "" }: Reason): Finding | undefined {
  const { objects, wasRead, now } = snapshot;
  const isOffered = objects.nodes.some(({ status }) => numberOf(status.allocatable[resource]) > 0);
  if (!resource.includes("/") || isOffered || !wasRead("nodes")) return undefined;
  const none = evidenceOf("nodes", `status.allocatable[${resource}]`, `none of ${objects.nodes.length} nodes`);
  return finding("resource-not-offered", pod, {
    // The device plugin of a new node may still register.
    atMost: objects.nodes.some((node) => isNew(node, now)) ? "likely" : undefined,
    evidence: [...evidence, none],
    resource,
  });
}

function insufficientResource({ pod, evidence, snapshot }: Rejection, { resource = "", nodes }: Reason): Finding {
  const short = targetNodes(pod, snapshot).filter((node) => lacks(node, resource, pod, snapshot));
  return finding("insufficient-resource", pod, {
    // The nodes can have more left by now, and pods that were not read can hold the rest.
    atMost: short.length > 0 ? undefined : "likely",
    evidence: [...evidence, ...short.slice(0, 3).map((node) => allocatableEvidence(node, resource))],
    ...{ count: nodes, resource },
  });
}

function unboundClaim({ pod, evidence, snapshot: { objects, wasRead } }: Rejection, { text }: Reason): Finding {
  const namespace = pod.metadata.namespace ?? "default";
  const claims = pod.spec.volumes.flatMap((one) =>
    "persistentVolumeClaim" in one ? one.persistentVolumeClaim.claimName : [],
  );
  const unbound = claims.flatMap((name): Evidence[] => {
    const claim = named(objects.persistentvolumeclaims, { namespace, name });
    if (claim?.status.phase === "Bound") return [];
    const missing = wasRead("persistentvolumeclaims") ? "does not exist" : notRead;
    const value = claim ? `${claim.status.phase}, StorageClass ${claim.spec.storageClassName ?? "none"}` : missing;
    return [evidenceOf({ kind: "pvc", metadata: { namespace, name } }, "status.phase", value)];
  });
  return finding("unbound-volume-claim", pod, {
    // A claim that is bound by now, or bound to a volume in another zone.
    atMost: unbound.length > 0 || claims.length === 0 ? undefined : "likely",
    evidence: [...evidence, ...unbound],
    ...{ text, claims },
  });
}

/**
 * A taint counts only if it repels the pod from every node that the pod could use. GPU nodes are tainted to repel other
 * pods, and the taints of system nodes do not affect GPU pods. Taints that reflect the state of a node do not count.
 */
function untoleratedTaint({ pod, evidence, snapshot }: Rejection, reason: Reason): Found {
  const nodes = targetNodes(pod, snapshot).filter((node) => selectsNode(pod.spec, node));
  const taintsOf = (node: Node) => untoleratedPermanent(pod.spec.tolerations, node.spec.taints);
  const tainted = nodes.filter((node) => taintsOf(node).length > 0);
  if (nodes.length > 0 && tainted.length < nodes.length) return [];
  const named = namedTaint(reason);
  if (nodes.length === 0 && (snapshot.wasRead("nodes") || named.length === 0)) return [];
  const onNodes = [...new Set(tainted.flatMap(taintsOf).map(taintText))];
  const stays = startupTaint(scopeOfPod(pod, tainted), { evidence, taints: onNodes }, snapshot);
  if (stays) return stays;
  // The node that needs the fewest tolerations.
  const [fewest] = tainted.map(taintsOf).toSorted((one, other) => one.length - other.length);
  const wanted = fewest ?? (reason.taint ? [reason.taint] : []);
  return finding("untolerated-taint", scopeOfPod(pod, tainted), {
    atMost: onNodes.length > 0 ? undefined : "likely",
    evidence: [
      ...evidence,
      ...tainted.slice(0, 3).map((node) => evidenceOf(node, "spec.taints", taintsOf(node).map(taintText).join(", "))),
    ],
    taints: onNodes.length > 0 ? onNodes : named,
    tolerations: wanted.map(tolerationText),
  });
}

/** The taint that the scheduler names. */
function namedTaint({ taint }: Reason): readonly string[] {
  return taint && !isLifecycleTaint(taint.key) ? [`${taint.key}=${taint.value}`] : [];
}

/** A NodeClaim waits until one of these taints is removed. */
function startupTaint(
  scope: Scope,
  { evidence, taints }: { readonly evidence: readonly Evidence[]; readonly taints: readonly string[] },
  { objects, now }: ClusterSnapshot,
): Finding | undefined {
  for (const claim of objects.nodeclaims) {
    const condition = conditionOf(claim.status.conditions, "Initialized");
    const { reason, message = "", lastTransitionTime } = condition ?? {};
    if (reason !== "StartupTaintsExist" || !taints.some((taint) => message.includes(taint))) continue;
    const stays = evidenceOf(claim, "condition Initialized", `${reason}: ${message}`, lastTransitionTime);
    const atMost = isNew(claim, now) ? "likely" : undefined;
    return finding("startup-taint-stays", scope, { atMost, evidence: [...evidence, stays], taints });
  }
  return undefined;
}

/** A toleration without an effect tolerates every effect. */
function tolerationText({ key, effect }: { readonly key: string; readonly effect?: string }): string {
  return `{key: ${key}, operator: Exists${effect === undefined || effect === "" ? "" : `, effect: ${effect}`}}`;
}

/** A selector counts only if none of the target nodes matches it. */
function selectorMismatch({ pod, evidence, snapshot }: Rejection): Found {
  if (targetNodes(pod, snapshot).some((node) => selectsNode(pod.spec, node))) return [];
  const { texts, keys } = selectorOf(pod);
  const field = "spec.nodeSelector and required node affinity";
  return finding("node-selector-mismatch", pod, {
    atMost: snapshot.wasRead("nodes") && texts.length > 0 ? undefined : "possible",
    evidence: [...evidence, texts.length > 0 ? evidenceOf(pod, field, texts.join(", ")) : undefined],
    isForGpu: requestsGpu(pod),
    selector: texts,
    labels: [...new Set(keys.filter((key) => /^[\w./-]+$/.test(key)))],
  });
}

/** The node selector and the required node affinity of a pod, as texts, and their label keys. */
function selectorOf({ spec }: Pod): { texts: readonly string[]; keys: readonly string[] } {
  const affinity = spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
  const terms = affinity.flatMap(({ matchExpressions }) => matchExpressions);
  return {
    texts: [
      ...Object.entries(spec.nodeSelector).map(([key, value]) => `${key}=${value}`),
      ...terms.map(({ key, operator = "", values }) => `${key} ${operator} ${values.join("|")}`.trim()),
    ],
    keys: [...Object.keys(spec.nodeSelector), ...terms.map(({ key }) => key)],
  };
}
