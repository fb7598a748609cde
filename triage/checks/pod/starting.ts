import { finding, type Finding } from "../../conclusions";
import type { Doubt, Evidence } from "../../conclusions/entry";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { conditionOf } from "../../snapshot/nodes";
import type { Event, Pod } from "../../snapshot/objects/resources";
import { allStatuses, eventReasons, failedContainers } from "../../snapshot/pods";
import { endText, joinPresent } from "../../texts";
import { conditionEvidence, eventEvidence, evidenceOf } from "../finding-parts";
import { resourceClaim } from "./resource-claim";

/** The latest failure of the kubelet before the containers of a pod run. Earlier failures have been resolved. */
export function startFindings(pod: Pod, snapshot: ClusterSnapshot): Finding[] {
  if (pod.status.phase !== "Pending" || pod.spec.nodeName === undefined) return [];
  const events = snapshot.eventsOf(pod.metadata);
  const isReady = conditionOf(pod.status.conditions, "PodReadyToStartContainers")?.status === "True";
  const failure = isReady ? undefined : events.findLast(({ reason }) => eventReasons.start.includes(reason));
  if (!failure) return containerFailure(pod, events);
  const evidence = failureEvidence(pod, failure);
  const atMost = doubtOf(failure);
  const { reason, message } = failure;
  if (reason === "FailedPrepareDynamicResources") return [resourceClaim({ pod, evidence, snapshot }, message, atMost)];
  const id = /Sandbox|^Network/i.test(reason) ? "pod-sandbox" : "volume-mount";
  return [finding(id, pod, { evidence, atMost, message })];
}

/** A failure that happened once may be over. */
function doubtOf({ count = 1 }: Event): Doubt {
  return count > 1 ? undefined : "likely";
}

const firstStates = ["ContainerCreating", "PodInitializing"];

/** What the kubelet reports about a container whose state does not show it: between two attempts, it waits as at first. */
function containerFailure(pod: Pod, events: readonly Event[]): Finding[] {
  const last = events.findLast(({ reason }) => ["Failed", "InspectFailed", "Started"].includes(reason));
  const waiting = allStatuses(pod).filter(({ state }) => state.terminated?.exitCode !== 0);
  const status = waiting.find(({ state }) => firstStates.includes(state.waiting?.reason ?? ""));
  const isFirst = waiting.every(({ state }) => !state.running && firstStates.includes(state.waiting?.reason ?? ""));
  if (!last || last.reason === "Started" || !status || !isFirst) return [];
  const { reason, message } = last;
  const found = { evidence: [eventEvidence(last)], atMost: doubtOf(last) };
  if (reason === "InspectFailed" || /^Failed to pull image|ErrImage|ImagePull/.test(message)) {
    const image = pod.spec.containers.find(({ name }) => name === status.name)?.image;
    return [
      finding("image-pull", pod, { ...found, image: image ?? `of container ${status.name}`, messages: [message] }),
    ];
  }
  return [
    finding("container-start", pod, { ...found, status: { ...status, state: { waiting: { reason, message } } } }),
  ];
}

/** The event, and the condition of the pod that shows the same. */
function failureEvidence(pod: Pod, failure: Event): Evidence[] {
  const waiting = conditionOf(pod.status.conditions, "PodReadyToStartContainers");
  return [eventEvidence(failure), ...(waiting ? [conditionEvidence(pod, waiting)] : [])];
}

/** A pod that does not run and for which no other conclusion applies. */
export function notStarted(pod: Pod, { wasRead, eventsOf }: ClusterSnapshot): Finding {
  const { phase, reason, message } = pod.status;
  const waiting = [...new Set(allStatuses(pod).flatMap(({ state }) => state.waiting?.reason ?? []))];
  const ends = failedContainers(pod).map(({ name, state }) => `${name} ended ${endText(state.terminated)}`);
  const value = joinPresent(phase === "" ? "none" : phase, ...waiting, ...ends, reason, message);
  const reports = eventsOf(pod.metadata).filter((one) => one.type === "Warning" && one.reason !== "FailedScheduling");
  return finding("not-started", pod, {
    evidence: [
      evidenceOf(pod, "status.phase", value, pod.metadata.creationTimestamp),
      ...reports.slice(-2).map(eventEvidence),
    ],
    ...{ pod, hasEvents: wasRead("events"), hasReports: reports.length > 0 },
  });
}
