import { finding, type Finding } from "../../conclusions";
import type { Evidence } from "../../conclusions/entry";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { conditionOf } from "../../snapshot/nodes";
import type { Pod } from "../../snapshot/objects/resources";
import { requestsGpu } from "../../snapshot/pods";
import { eventEvidence, evidenceOf } from "../finding-parts";
import { isKarpenterRefusal } from "../node/scale-up";
import { schedulerMessage, type SchedulerMessage } from "./scheduler-message";

/** A pod that the scheduler rejected, with its message. */
export interface Rejection {
  readonly pod: Pod;
  readonly message: SchedulerMessage;
  readonly evidence: readonly Evidence[];
  readonly snapshot: ClusterSnapshot;
}

/** The latest result of the scheduler for a pod. */
interface Scheduling {
  readonly message: SchedulerMessage | undefined;
  readonly evidence: readonly Evidence[];
  /** Whether the pod was rejected first and placed later. */
  readonly wasPlacedLater: boolean;
}

/**
 * Reads the latest result of the scheduler. The condition holds the current state; the event adds since when and how
 * often, but expires after an hour. One of the two is enough.
 */
export function schedulingOf(pod: Pod, { eventsOf }: ClusterSnapshot): Scheduling {
  const events = eventsOf(pod.metadata);
  const rejected = events.findLast((event) => event.reason === "FailedScheduling" && !isKarpenterRefusal(event));
  const placed = events.findLast(({ reason }) => reason === "Scheduled");
  const condition = unscheduledCondition(pod);
  return {
    message: schedulerMessage(condition.message) ?? schedulerMessage(rejected?.message ?? ""),
    evidence: rejected ? [eventEvidence(rejected)] : condition.evidence,
    wasPlacedLater: rejected !== undefined && placed?.lastTimestamp !== undefined,
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
  return { message, evidence: [evidenceOf(pod, "condition PodScheduled", message, lastTransitionTime)] };
}

/** A pending pod without a known reason: it has a scheduling gate, its scheduler does not run, or its events expired. */
export function withoutReason(pod: Pod, evidence: readonly Evidence[]): Finding {
  const gates = pod.spec.schedulingGates.map(({ name }) => name).join(", ");
  const isGated = gates !== "";
  const said = evidence[0]?.value;
  const field = isGated ? "spec.schedulingGates" : "status.phase Pending";
  const value = isGated ? gates : (said ?? "no event FailedScheduling");
  return finding("not-schedulable", pod, {
    atMost: isGated ? undefined : "possible",
    evidence: [evidenceOf(pod, field, value, pod.metadata.creationTimestamp)],
    ...{ gates, said, isForGpu: requestsGpu(pod) },
  });
}
