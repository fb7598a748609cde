import type { Evidence } from "../../evidence";
import { isSubject, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { conditionOf, isGpuResource } from "../../snapshot/nodes";
import type { Event, NodeClaim } from "../../snapshot/objects/cluster";
import type { Pod } from "../../snapshot/objects/pod";
import { groupScaleUpReasons, isPending, requestsGpu } from "../../snapshot/pods";
import { createdAt, isNew, secondsBetween, startupSeconds } from "../../snapshot/time";
import { joinPresent } from "../../texts";
import { eventEvidence, evidenceOf } from "../finding-parts";

/**
 * What an autoscaler did for a pod: it started a node, could not start one, or has a reason not to try.
 *
 * @see https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.35.0/cluster-autoscaler/clusterstate/clusterstate.go
 * @see https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.35.0/cluster-autoscaler/core/scaleup/orchestrator/executor.go
 * @see https://github.com/kubernetes-sigs/karpenter/blob/v1.12.0/pkg/controllers/nodeclaim/lifecycle/events.go
 */
export interface Sign {
  readonly state: "started" | "failed" | "refused";
  readonly text: string;
  readonly evidence: Evidence;
  /** The Auto Scaling group. */
  readonly group?: string;
  readonly isKarpenter: boolean;
}

/** Pods that wait for a GPU and that the user asks about. */
export function waitingGpuPods({ objects, subject, namespace }: ClusterSnapshot): readonly Pod[] {
  return objects.pods.filter(
    (pod) =>
      isPending(pod) &&
      requestsGpu(pod) &&
      (subject?.kind !== "pod" || isSubject(subject, pod)) &&
      (namespace === undefined || pod.metadata.namespace === namespace),
  );
}

/** What autoscalers did for a pod that waits for a GPU, the latest last; empty if none has tried. */
export function signsOf(pod: Pod, snapshot: ClusterSnapshot): readonly Sign[] {
  return snapshot
    .eventsOf(pod.metadata)
    .flatMap((event) => podSign(event) ?? [])
    .filter((sign) => !hasNewerNode(sign, snapshot));
}

function podSign(event: Event): Sign | undefined {
  const { reason, message } = event;
  const evidence = eventEvidence(event);
  const sign = (state: Sign["state"], isKarpenter: boolean): Sign => ({ state, isKarpenter, text: message, evidence });
  if (reason === "TriggeredScaleUp") {
    const group = /\{(\S+) \d+->\d+/.exec(message)?.[1];
    return { ...sign("started", false), ...(group !== undefined && { group }) };
  }
  if (reason === "NotTriggerScaleUp") {
    // The rest of the message is about other groups.
    const failure = /in backoff after failed scale-up/.exec(message)?.[0];
    return failure === undefined ? sign("refused", false) : { ...sign("failed", false), text: failure };
  }
  if (reason === "Nominated") return /nodeclaim\//.test(message) ? sign("started", true) : undefined;
  return isKarpenterRefusal(event) ? sign("refused", true) : undefined;
}

/** Karpenter uses the reason of the scheduler for its own events. */
export function isKarpenterRefusal({ reason, message }: Event): boolean {
  return reason === "FailedScheduling" && message.startsWith("Failed to schedule pod, ");
}

/** Whether an autoscaler has started a node for one of these pods, or tried to, or stated why it does not. */
export function hasAutoscaler(pods: readonly Pod[], snapshot: ClusterSnapshot): boolean {
  return pods.some((pod) => signsOf(pod, snapshot).length > 0) || groupSigns(snapshot).length > 0;
}

/** A node that joined after an event shows that scaling works again. */
function hasNewerNode({ evidence }: Sign, { gpuNodes }: ClusterSnapshot): boolean {
  const at = Date.parse(evidence.at ?? "");
  return gpuNodes.some((node) => createdAt(node) > at);
}

/** Failures of groups and NodeClaims. A group of which another pod knows that it has no GPUs does not count. */
export function groupSigns(snapshot: ClusterSnapshot): readonly Sign[] {
  const { objects } = snapshot;
  const otherGroups = new Set(
    objects.pods
      .filter((pod) => isPending(pod) && !requestsGpu(pod))
      .flatMap((pod) => signsOf(pod, snapshot).flatMap(({ group }) => group ?? [])),
  );
  const events = objects.events
    .filter(({ reason }) => groupScaleUpReasons.includes(reason))
    .map((event): Sign => {
      const group = /\bgroup (\S+?):? /.exec(event.message)?.[1];
      const isKarpenter = event.involvedObject.kind === "NodeClaim";
      const common = { state: "failed" as const, text: event.message, evidence: eventEvidence(event), isKarpenter };
      return { ...common, ...(group !== undefined && { group }) };
    });
  return [...events, ...objects.nodeclaims.flatMap((claim) => claimSign(claim, snapshot) ?? [])].filter(
    (sign) => !hasNewerNode(sign, snapshot) && !(sign.group !== undefined && otherGroups.has(sign.group)),
  );
}

/** A NodeClaim for GPUs that Karpenter cannot launch, or whose instance has not become a node. */
function claimSign(claim: NodeClaim, { now }: ClusterSnapshot): Sign | undefined {
  const { metadata, spec, status } = claim;
  if (!Object.keys(spec.resources.requests).some(isGpuResource)) return undefined;
  const [launched, registered] = ["Launched", "Registered"].map((type) => conditionOf(status.conditions, type));
  const isLaunched = launched?.status === "True";
  const isLate = isLaunched && registered?.status !== "True" && !isNew(claim, now);
  const condition = isLate ? registered : isLaunched ? undefined : launched;
  if (!condition?.message) return undefined;
  const { type, reason, message, lastTransitionTime = metadata.creationTimestamp } = condition;
  const text = joinPresent(reason, message);
  const evidence = evidenceOf(claim, `condition ${type}`, text, lastTransitionTime);
  return { state: "failed", text: isLate ? `${text}: failed to register` : text, evidence, isKarpenter: true };
}

/** Whether an autoscaler has started a node so long ago that it should have joined. */
export function isOverdue({ state, evidence }: Sign, { now }: ClusterSnapshot): boolean {
  return state === "started" && (secondsBetween(evidence.at, now) ?? 0) >= startupSeconds;
}
