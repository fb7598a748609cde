import { finding, type Finding, type Found } from "../../conclusions";
import { isSubject, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { ContainerStatus, Pod } from "../../snapshot/objects/pod";
import { allStatuses, restartingContainers } from "../../snapshot/pods";
import { formatDuration, isNew, secondsBetween, startupSeconds } from "../../snapshot/time";
import { endEvidenceText, endText, isOutOfMemory, type End } from "../../texts";
import { eventEvidence, logEvidence, podEvidence } from "../finding-parts";
import { probeKill } from "./probe-kills";

type CrashLoopId = "crash-loop" | "operator-pod-crash-loop";

/** What keeps the containers of a placed pod from running. */
export function containerFindings(pod: Pod, snapshot: ClusterSnapshot, id: CrashLoopId = "crash-loop"): Finding[] {
  return allStatuses(pod).flatMap((status) => {
    const faults = [
      imagePull(pod, status, snapshot),
      cannotStart(pod, status),
      probeKill(pod, status, snapshot),
      crashLoop(pod, status, id, snapshot),
    ].flat();
    return faults.length > 0 ? faults : memoryExceeded(pod, status, snapshot);
  });
}

/** After an hour without another kill, the container has enough memory for what it does. */
const recentSeconds = 3600;

/** A container that runs again since it was killed for its use of memory. */
function memoryExceeded(pod: Pod, status: ContainerStatus, { now }: ClusterSnapshot): Found {
  const end = status.state.running && status.lastState.terminated;
  const age = secondsBetween(end?.finishedAt, now);
  if (!isOutOfMemory(end) || age === undefined || age > recentSeconds) return [];
  const field = `status.containerStatuses[${status.name}].lastState.terminated`;
  return finding("memory-limit-exceeded", pod, {
    evidence: [podEvidence(pod, field, endText(end), end?.finishedAt)],
    ...{ status, age: formatDuration(age) },
  });
}

const pullReasons = ["ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"];

function imagePull(pod: Pod, { name, state }: ContainerStatus, { eventsOf }: ClusterSnapshot): Found {
  if (!pullReasons.includes(state.waiting?.reason ?? "")) return [];
  // A back-off does not always repeat the error of the pull.
  const failure = eventsOf("Pod", pod.metadata).findLast(({ message }) => message.startsWith("Failed to pull image"));
  const evidence = [waitingEvidence(pod, name, state), ...(failure ? [eventEvidence(failure)] : [])];
  const container = [...pod.spec.initContainers, ...pod.spec.containers].find((one) => one.name === name);
  return finding("image-pull", pod, {
    evidence,
    image: container?.image ?? `of container ${name}`,
    messages: evidence.map(({ value }) => value),
  });
}

const createReasons = ["CreateContainerConfigError", "CreateContainerError", "RunContainerError", "PostStartHookError"];

function cannotStart(pod: Pod, status: ContainerStatus): Found {
  const { name, state } = status;
  if (!createReasons.includes(state.waiting?.reason ?? "")) return [];
  return finding("container-start", pod, { evidence: [waitingEvidence(pod, name, state)], status });
}

function waitingEvidence(pod: Pod, name: string, { waiting }: ContainerStatus["state"]) {
  const message = waiting?.message === undefined ? "" : `: ${waiting.message}`;
  return podEvidence(pod, `status.containerStatuses[${name}].state.waiting`, `${waiting?.reason ?? ""}${message}`);
}

/** Fewer restarts can be a start before a dependency was ready. */
const minRestarts = 3;

/**
 * Whether a container is in a crash loop although it does not wait in a back-off: it has just ended, or it runs until it
 * ends again. The kubelet resets the back-off after a run of ten minutes. An exit without an error can be intended, so it
 * counts only for the pod that the user asks about.
 */
function keepsExiting(pod: Pod, status: ContainerStatus, { subject, now }: ClusterSnapshot): boolean {
  const isAsked = isSubject(subject, pod);
  const end = lastEnd(status);
  if (!end || status.restartCount < minRestarts || !isActive(pod) || !isShortRun(status, end, now)) return false;
  if (end.exitCode === 0 && !(isAsked && restartingContainers(pod).includes(status))) return false;
  // A new pod that runs now may have got past its start.
  return !status.state.running || !isNew(pod, now) || isAsked;
}

function lastEnd({ state, lastState }: ContainerStatus): End {
  return state.terminated ?? (state.running && lastState.terminated);
}

function isActive({ status, metadata }: Pod): boolean {
  return (status.phase === "Running" || status.phase === "Pending") && metadata.deletionTimestamp === undefined;
}

/** Whether the last run of a container was short, and its end is recent. */
function isShortRun({ state }: ContainerStatus, end: NonNullable<End>, now: number): boolean {
  const ran = secondsBetween(end.startedAt, Date.parse(end.finishedAt ?? "")) ?? 0;
  const since = secondsBetween(state.running?.startedAt ?? end.finishedAt, now) ?? Infinity;
  return ran < startupSeconds && since < startupSeconds;
}

function crashLoop(pod: Pod, status: ContainerStatus, id: CrashLoopId, snapshot: ClusterSnapshot): Found {
  const { name, state, lastState, restartCount } = status;
  const isBackOff = state.waiting?.reason === "CrashLoopBackOff";
  if (!isBackOff && !keepsExiting(pod, status, snapshot)) return [];
  const end = state.terminated ?? lastState.terminated;
  const current = isBackOff ? "CrashLoopBackOff" : state.running ? "running" : "ended";
  const value = `${current}, restartCount ${restartCount}, last ended ${endEvidenceText(end)}`;
  return finding(id, pod, {
    atMost: isBackOff ? undefined : "likely",
    evidence: [
      podEvidence(pod, `status.containerStatuses[${name}]`, value, end?.finishedAt),
      ...logEvidence(pod, name, snapshot),
    ],
    status,
  });
}
