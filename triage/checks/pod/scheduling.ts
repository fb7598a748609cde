import type { Evidence, Finding, Scope } from "../../conclusions";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { conditionOf } from "../../snapshot/nodes";
import type { Pod } from "../../snapshot/objects/pod";
import { requestsGpu } from "../../snapshot/pods";
import { describePod, eventEvidence, evidenceOf, podEvidence, scopeOfPod } from "../finding-parts";
import { isKarpenterRefusal } from "../node/scale-up-signs";
import { schedulerMessage, type SchedulerMessage } from "./scheduler-message";

/** The latest result of the scheduler for a pod. */
interface Scheduling {
  readonly message?: SchedulerMessage;
  readonly evidence: readonly Evidence[];
  /** Whether the pod was rejected first and placed later. */
  readonly wasPlacedLater: boolean;
}

/**
 * Reads the latest result of the scheduler. The condition holds the current state; the event adds since when and how
 * often, but expires after an hour. One of the two is enough.
 */
export function schedulingOf(pod: Pod, { eventsOf }: ClusterSnapshot): Scheduling {
  const events = eventsOf("Pod", pod.metadata);
  const rejected = events.findLast((event) => event.reason === "FailedScheduling" && !isKarpenterRefusal(event));
  const placed = events.findLast(({ reason }) => reason === "Scheduled");
  const condition = unscheduledCondition(pod);
  const message = schedulerMessage(condition.message) ?? schedulerMessage(rejected?.message ?? "");
  const wasPlacedLater = rejected !== undefined && placed?.lastTimestamp !== undefined;
  return {
    evidence: rejected ? [eventEvidence(rejected)] : condition.evidence,
    wasPlacedLater,
    ...(message && { message }),
  };
}

/** The number of nodes, if the scheduler counted as many: then its message is about these nodes. */
export function countedNodes(
  { nodes }: Pick<SchedulerMessage, "nodes">,
  { objects, wasRead }: ClusterSnapshot,
): Evidence[] {
  const count = objects.nodes.length;
  return wasRead("nodes") && nodes === count
    ? [evidenceOf("nodes", "number", `${count}, as the scheduler counted`)]
    : [];
}

/** The message of the condition PodScheduled while it is False. */
function unscheduledCondition(pod: Pod): { readonly message: string; readonly evidence: readonly Evidence[] } {
  const condition = conditionOf(pod.status.conditions, "PodScheduled");
  if (condition?.status !== "False" || !condition.message) return { message: "", evidence: [] };
  const { message, lastTransitionTime } = condition;
  return { message, evidence: [podEvidence(pod, "condition PodScheduled", message, lastTransitionTime)] };
}

/** The scheduler's own reason, if no other conclusion covers it. */
export function notSchedulable(scope: Scope, reason: string, evidence: readonly Evidence[]): Finding {
  return {
    id: "not-schedulable",
    ...scope,
    what: `The scheduler finds no node for the pod: ${reason}.`,
    evidence,
    next: ["Show all reasons of the scheduler => kubectl describe {pod}"],
  };
}

/** How schedulers for batch jobs (Volcano, Coscheduling, YuniKorn) say that the pods of a group start only together. */
const gangText = /gang|pod ?group|minAvailable|minMember/i;

function stateText(gates: string, said: string | undefined): string {
  if (gates !== "") {
    return `The scheduling gate ${gates} keeps the pod Pending. The controller that set the gate must remove it.`;
  }
  if (said === undefined) return "The pod is Pending, and the data contains no reason from the scheduler.";
  const gang = " It starts the pods of a group only together: the cluster must have room for all of them at once.";
  return `The scheduler keeps the pod Pending: ${said}.${gangText.test(said) ? gang : ""}`;
}

const showScheduler = "Show the events of the pod and the name of its scheduler => kubectl describe {pod}";

/** A pending pod without a known reason: it has a scheduling gate, its scheduler does not run, or its events expired. */
export function withoutReason(pod: Pod, evidence: readonly Evidence[]): Finding {
  const gates = pod.spec.schedulingGates.map(({ name }) => name).join(", ");
  const isGated = gates !== "";
  const value = isGated ? gates : (evidence[0]?.value ?? "no event FailedScheduling");
  const field = isGated ? "spec.schedulingGates" : "status.phase Pending";
  return {
    id: "not-schedulable",
    ...scopeOfPod(pod),
    atMost: isGated ? undefined : "possible",
    what: stateText(gates, evidence[0]?.value),
    evidence: [podEvidence(pod, field, value, pod.metadata.creationTimestamp)],
    next: [requestsGpu(pod) ? showScheduler : describePod],
  };
}
