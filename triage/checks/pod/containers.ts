import { finding, type Finding, type Found } from "../../conclusions";
import { isSubject, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { knownError } from "../../snapshot/logs/known-errors";
import type { ContainerStatus, Pod } from "../../snapshot/objects/resources";
import { allStatuses, isPodReady, restartingContainers } from "../../snapshot/pods";
import { formatDuration, isNew, secondsBetween, startupSeconds } from "../../snapshot/time";
import { endEvidenceText, endText, isOutOfMemory, type End } from "../../texts";
import { eventEvidence, evidenceOf, logEvidence } from "../finding-parts";

type CrashLoopId = "crash-loop" | "operator-pod-crash-loop" | "operator-validation-failed";

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
    evidence: [evidenceOf(pod, field, endText(end), end?.finishedAt)],
    ...{ status, age: formatDuration(age) },
  });
}

const pullReasons = ["ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"];

function imagePull(pod: Pod, { name, state }: ContainerStatus, { eventsOf }: ClusterSnapshot): Found {
  if (!pullReasons.includes(state.waiting?.reason ?? "")) return [];
  // A back-off does not always repeat the error of the pull.
  const failure = eventsOf(pod.metadata).findLast(({ message }) => message.startsWith("Failed to pull image"));
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
  return evidenceOf(pod, `status.containerStatuses[${name}].state.waiting`, `${waiting?.reason ?? ""}${message}`);
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
  const end = status.state.terminated ?? (status.state.running && status.lastState.terminated);
  if (!end || status.restartCount < minRestarts || !isActive(pod) || !isShortRun(status, end, now)) return false;
  if (end.exitCode === 0 && !(isAsked && restartingContainers(pod).includes(status))) return false;
  // A new pod that runs now may have got past its start.
  return !status.state.running || !isNew(pod, now) || isAsked;
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
  const log = logEvidence(pod, name, snapshot);
  const value = `${current}, restartCount ${restartCount}, last ended ${endEvidenceText(end)}`;
  return finding(id, pod, {
    atMost: isBackOff ? undefined : "likely",
    evidence: [evidenceOf(pod, `status.containerStatuses[${name}]`, value, end?.finishedAt), ...log],
    status,
    isUnknown: log.length > 0 && log.every((line) => knownError(line.value) === undefined),
  });
}

/** Messages of the kubelet about a probe that restarts its container. A readiness probe restarts nothing. */
const probeMessage = /^Container (\S+) failed (startup|liveness) probe|^(startup|liveness) probe (?:failed|errored)/i;

/**
 * A container that a probe restarts. The exit code shows only a signal, and the log often no error.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions
 */
function probeKill(pod: Pod, status: ContainerStatus, snapshot: ClusterSnapshot): Found {
  const end = status.state.terminated ?? status.lastState.terminated;
  if (status.restartCount === 0 || isOutOfMemory(end) || hasRecovered(status, snapshot)) return [];
  const events = probeEvents(pod, status, snapshot);
  const kill = events.findLast(({ event }) => event.reason === "Killing");
  const failure = events.findLast(({ event }) => event.reason !== "Killing");
  const shown = [kill, failure].filter((one) => one !== undefined);
  // Without the event of the kill, a signal shows that the container did not end by itself.
  const isSignal = wasSignalled(end);
  const [first] = isSignal || kill ? shown : [];
  if (!first) return [];
  const state = evidenceOf(pod, `status.containerStatuses[${status.name}]`, `last ended ${endText(end)}`);
  return finding("probe-restarts-container", pod, {
    atMost: kill && isSignal ? undefined : "likely",
    evidence: [...shown.map(({ event }) => eventEvidence(event)), isSignal ? state : undefined],
    ...{ status, probe: first.probe },
  });
}

function wasSignalled(end: End): boolean {
  return [137, 143].includes(end?.exitCode ?? 0);
}

function hasRecovered({ ready, state }: ContainerStatus, { now }: ClusterSnapshot): boolean {
  return ready && (secondsBetween(state.running?.startedAt, now) ?? Infinity) >= startupSeconds;
}

/** The event of a kill names its container. */
function probeEvents(pod: Pod, { name }: ContainerStatus, { eventsOf }: ClusterSnapshot) {
  return eventsOf(pod.metadata).flatMap((event) => {
    const [match, container = name, killer, failed] = probeMessage.exec(event.message) ?? [];
    const probe = (killer ?? failed ?? "").toLowerCase();
    return match === undefined || container !== name ? [] : [{ event, probe }];
  });
}

/** A pod that runs for longer than a start takes and that its readiness probe keeps out of Services. */
export function neverReady(pod: Pod, snapshot: ClusterSnapshot): Finding | undefined {
  const failure = snapshot
    .eventsOf(pod.metadata)
    .findLast(({ message }) => /^Readiness probe (?:failed|errored)/i.test(message));
  if (!failure || pod.status.phase !== "Running" || isPodReady(pod) || isNew(pod, snapshot.now)) return undefined;
  const [name = ""] = pod.status.containerStatuses.filter(({ ready }) => !ready).map((one) => one.name);
  const evidence = [eventEvidence(failure), ...logEvidence(pod, name, snapshot)];
  return finding("not-ready", pod, { evidence, container: name });
}
