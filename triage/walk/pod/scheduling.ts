import { schedulerMessage, type SchedulerMessage } from "../../classify/scheduler";
import type { Evidence } from "../../finding";
import type { Pod } from "../../objects/pod";
import { kubectlName } from "../pods";
import { conditionOf, type Scene } from "../scene";

/** What the scheduler last said of a pod. */
export interface Scheduling {
  readonly message?: SchedulerMessage;
  readonly evidence: readonly Evidence[];
  /** Of a pod that was refused first and placed later: the accident is over. */
  readonly healedAt?: string;
}

/**
 * The condition says how it stands now, the event says since when and how often, and goes after an hour. Either alone
 * will do.
 */
export function schedulingOf(pod: Pod, scene: Scene): Scheduling {
  const events = scene.eventsOf("Pod", pod.metadata);
  const refused = events.filter(({ reason }) => reason === "FailedScheduling").at(-1);
  const placed = events.filter(({ reason }) => reason === "Scheduled").at(-1);
  const condition = conditionOf(pod.status.conditions, "PodScheduled");
  const said = condition?.status === "False" ? condition.message : undefined;
  const parsed = schedulerMessage(said ?? "") ?? schedulerMessage(refused?.message ?? "");
  const object = kubectlName("pod", pod.metadata);
  const evidence: Evidence[] = [];
  if (refused) {
    const often = (refused.count ?? 1) > 1 ? ` (${refused.count} times)` : "";
    evidence.push({
      ...{ object, field: "event FailedScheduling", value: `${refused.message}${often}` },
      ...(refused.lastTimestamp && { at: refused.lastTimestamp }),
    });
  } else if (said !== undefined && said !== "") {
    const at = condition?.lastTransitionTime;
    evidence.push({ object, field: "condition PodScheduled", value: said, ...(at !== undefined && { at }) });
  }
  const healedAt = refused && placed ? placed.lastTimestamp : undefined;
  return { evidence, ...(parsed && { message: parsed }), ...(healedAt !== undefined && { healedAt }) };
}
