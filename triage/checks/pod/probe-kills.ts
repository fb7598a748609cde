import type { Finding } from "../../conclusions";
import type { ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import type { Event } from "../../snapshot/objects/cluster";
import type { ContainerStatus, Pod } from "../../snapshot/objects/pod";
import { isPodReady } from "../../snapshot/pods";
import { isNew, secondsBetween, startupSeconds } from "../../snapshot/time";
import { endText, eventEvidence, isOutOfMemory, logEvidence, podEvidence, scopeOfPod, showLog } from "../finding-parts";

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
export function probeKill(pod: Pod, status: ContainerStatus, snapshot: ClusterSnapshot): Finding[] {
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
  const evidence = [...shown.map(({ event }) => eventEvidence(event)), ...(isSignal ? [state] : [])];
  return [{ ...findingOf(pod, status, first.probe), atMost: kill && isSignal ? undefined : "likely", evidence }];
}

function wasSignalled(end: ContainerStatus["state"]["terminated"]): boolean {
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
export function neverReady(pod: Pod, snapshot: ClusterSnapshot): Finding[] {
  const failure = snapshot
    .eventsOf("Pod", pod.metadata)
    .findLast(({ message }) => /^Readiness probe (?:failed|errored)/i.test(message));
  if (!failure || pod.status.phase !== "Running" || isPodReady(pod) || isNew(pod, snapshot.now)) return [];
  const [name = ""] = pod.status.containerStatuses.filter(({ ready }) => !ready).map((one) => one.name);
  return [
    {
      id: "not-ready",
      ...scopeOfPod(pod),
      atMost: "likely",
      what: `The pod runs but is not ready: the readiness probe of container ${name} fails, so no Service sends it requests. A server that loads a large model answers minutes later; after that, its log says what it waits for.`,
      evidence: [eventEvidence(failure), ...logEvidence(pod, name, snapshot)],
      next: ["Show the probe and how often it failed => kubectl describe {pod}"],
    },
  ];
}

const slow =
  "The container takes longer to start than the probe allows: loading a model or building a driver takes minutes.";
const silent =
  "The container does not answer in time, or answers that it is not healthy: it still starts, or it is too busy or hangs. A slow start needs a startup probe.";

function findingOf(
  pod: Pod,
  { name, restartCount }: ContainerStatus,
  probe: string,
): Omit<Finding, "atMost" | "evidence"> {
  const isStartup = probe === "startup";
  const path = `{.spec.containers[?(@.name=="${name}")].${probe}Probe}`;
  return {
    id: "probe-restarts-container",
    ...scopeOfPod(pod),
    what: `The ${probe} probe of container ${name} restarts it; ${restartCount} restarts. ${isStartup ? slow : silent}`,
    next: [
      `Show the probe. Then raise failureThreshold or periodSeconds of the ${isStartup ? "" : "startup or "}${probe} probe => kubectl get {pod} -o jsonpath='${path}'`,
      showLog(name),
    ],
  };
}
