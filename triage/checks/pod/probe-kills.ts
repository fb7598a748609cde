import { finding, type Finding, type Found } from "../../conclusions";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { Event } from "../../snapshot/objects/cluster";
import type { ContainerStatus, Pod } from "../../snapshot/objects/pod";
import { isPodReady } from "../../snapshot/pods";
import { isNew, secondsBetween, startupSeconds } from "../../snapshot/time";
import { endText, isOutOfMemory, type End } from "../../texts";
import { eventEvidence, logEvidence, podEvidence } from "../finding-parts";

/** Messages of the kubelet about a probe that restarts its container. A readiness probe restarts nothing. */
const probeMessage = /^Container (\S+) failed (startup|liveness) probe|^(startup|liveness) probe (?:failed|errored)/i;

interface ProbeEvent {
  readonly event: Event;
  readonly probe: string;
}

/**
 * A container that a probe restarts. The exit code shows only a signal, and the log often no error.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions
 */
export function probeKill(pod: Pod, status: ContainerStatus, snapshot: ClusterSnapshot): Found {
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
  const state = podEvidence(pod, `status.containerStatuses[${status.name}]`, `last ended ${endText(end)}`);
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
function probeEvents(pod: Pod, { name }: ContainerStatus, { eventsOf }: ClusterSnapshot): ProbeEvent[] {
  return eventsOf("Pod", pod.metadata).flatMap((event) => {
    const [match, container = name, killer, failed] = probeMessage.exec(event.message) ?? [];
    const probe = (killer ?? failed ?? "").toLowerCase();
    return match === undefined || container !== name ? [] : [{ event, probe }];
  });
}

/** A pod that runs for longer than a start takes and that its readiness probe keeps out of Services. */
export function neverReady(pod: Pod, snapshot: ClusterSnapshot): Finding | undefined {
  const failure = snapshot
    .eventsOf("Pod", pod.metadata)
    .findLast(({ message }) => /^Readiness probe (?:failed|errored)/i.test(message));
  if (!failure || pod.status.phase !== "Running" || isPodReady(pod) || isNew(pod, snapshot.now)) return undefined;
  const [name = ""] = pod.status.containerStatuses.filter(({ ready }) => !ready).map((one) => one.name);
  const evidence = [eventEvidence(failure), ...logEvidence(pod, name, snapshot)];
  return finding("not-ready", pod, { evidence, container: name });
}
