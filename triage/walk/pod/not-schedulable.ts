import type { About, Evidence, Finding } from "../../finding";
import type { Pod } from "../../objects/pod";
import { aboutPod } from "../about";
import { asksForGpu, kubectlName } from "../pods";

/** What the scheduler says, where no conclusion of its own fits it. */
export function notSchedulable(pod: Pod, about: About, why: string, evidence: readonly Evidence[]): Finding {
  return {
    id: "not-schedulable",
    ...about,
    level: "problem",
    sure: "certain",
    what: `The scheduler finds no node for the pod: ${why}.`,
    evidence,
    next: [{ why: "All of the scheduler's reasons", command: `kubectl describe ${kubectlName("pod", pod.metadata)}` }],
  };
}

/** A pending pod of which nothing is said: gated, or of a scheduler that does not run, or its events are gone. */
export function silence(pod: Pod, evidence: readonly Evidence[]): Finding {
  const gates = pod.spec.schedulingGates.map(({ name }) => name);
  const what =
    gates.length > 0
      ? `The pod is held back by the scheduling gate ${gates.join(", ")}: whoever set it must take it away.`
      : "The pod is Pending and the scheduler has said nothing of it that could be read.";
  const value = gates.length > 0 ? gates.join(", ") : (evidence[0]?.value ?? "no event FailedScheduling");
  return {
    id: "not-schedulable",
    ...aboutPod(pod),
    level: "problem",
    sure: gates.length > 0 ? "certain" : "possible",
    what,
    evidence: [
      {
        object: kubectlName("pod", pod.metadata),
        field: gates.length > 0 ? "spec.schedulingGates" : "status.phase Pending",
        value,
        ...(pod.metadata.creationTimestamp && { at: pod.metadata.creationTimestamp }),
      },
    ],
    next: [
      {
        why: asksForGpu(pod) ? "Its events, and whether a scheduler of that name runs" : "Its events",
        command: `kubectl describe ${kubectlName("pod", pod.metadata)}`,
      },
    ],
  };
}
