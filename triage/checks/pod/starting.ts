import { finding, type Finding } from "../../conclusions";
import type { Evidence } from "../../evidence";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { conditionOf } from "../../snapshot/nodes";
import type { Event } from "../../snapshot/objects/cluster";
import type { Pod } from "../../snapshot/objects/pod";
import { allStatuses, failedContainers, startReasons } from "../../snapshot/pods";
import { endText, joinPresent } from "../../texts";
import { conditionEvidence, eventEvidence, podEvidence } from "../finding-parts";
import { resourceClaim } from "./resource-claim";

/** The latest failure of the kubelet before the containers of a pod start. Earlier failures have been resolved. */
export function startFindings(pod: Pod, snapshot: ClusterSnapshot): Finding[] {
  const isReady = conditionOf(pod.status.conditions, "PodReadyToStartContainers")?.status === "True";
  if (pod.status.phase !== "Pending" || pod.spec.nodeName === undefined || isReady) return [];
  const failure = snapshot
    .eventsOf("Pod", pod.metadata)
    .filter(({ reason }) => startReasons.includes(reason))
    .at(-1);
  if (!failure) return [];
  const evidence = failureEvidence(pod, failure);
  // A failure that happened once may be over.
  const atMost = (failure.count ?? 1) > 1 ? undefined : "likely";
  const { reason, message } = failure;
  if (reason === "FailedPrepareDynamicResources") return [resourceClaim({ pod, evidence, snapshot }, message, atMost)];
  const id = reason === "FailedCreatePodSandBox" ? "pod-sandbox" : "volume-mount";
  return [finding(id, pod, { evidence, atMost, message })];
}

/** The event, and the condition of the pod that shows the same. */
function failureEvidence(pod: Pod, failure: Event): Evidence[] {
  const waiting = conditionOf(pod.status.conditions, "PodReadyToStartContainers");
  return [eventEvidence(failure), ...(waiting ? [conditionEvidence(pod, waiting, "pod")] : [])];
}

/** A pod that does not run and for which no other conclusion applies. */
export function notStarted(pod: Pod, { wasRead }: ClusterSnapshot): Finding {
  const { phase, reason, message } = pod.status;
  const waiting = [...new Set(allStatuses(pod).flatMap(({ state }) => state.waiting?.reason ?? []))];
  const ends = failedContainers(pod).map(({ name, state }) => `${name} ended ${endText(state.terminated)}`);
  const value = joinPresent(phase === "" ? "none" : phase, ...waiting, ...ends, reason, message);
  return finding("not-started", pod, {
    evidence: [podEvidence(pod, "status.phase", value, pod.metadata.creationTimestamp)],
    ...{ pod, hasEvents: wasRead("events") },
  });
}
