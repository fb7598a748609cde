import { testReport } from "../classify/test-report";
import { readConditions, readEnvironment, readMeta, readNodeAffinity, readTolerations } from "./common";
import { defined, type Cursor } from "./cursor";

export function readPod(pod: Cursor) {
  return {
    kind: "Pod" as const,
    metadata: readMeta(pod.at("metadata")),
    spec: readPodSpec(pod.at("spec")),
    status: readPodStatus(pod.at("status")),
  };
}
export type Pod = ReturnType<typeof readPod>;

/** Also the template of a DaemonSet. */
export function readPodSpec(spec: Cursor) {
  return defined({
    nodeName: spec.at("nodeName").name(),
    nodeSelector: spec.at("nodeSelector").texts(),
    affinity: readNodeAffinity(spec.at("affinity")),
    tolerations: readTolerations(spec.at("tolerations")),
    priority: spec.at("priority").number(),
    priorityClassName: spec.at("priorityClassName").text(),
    restartPolicy: spec.at("restartPolicy").text(),
    schedulingGates: spec
      .at("schedulingGates")
      .each()
      .map((gate) => ({ name: gate.at("name").text() ?? "" })),
    initContainers: spec.at("initContainers").each().map(readContainer),
    containers: spec.at("containers").each().map(readContainer),
    volumes: spec.at("volumes").each().flatMap(readVolume),
  });
}
export type PodSpec = ReturnType<typeof readPodSpec>;

function readContainer(container: Cursor) {
  const resources = container.at("resources");
  return defined({
    name: container.at("name").name() ?? "",
    image: container.at("image").text(),
    restartPolicy: container.at("restartPolicy").text(),
    resources: { requests: resources.at("requests").texts(), limits: resources.at("limits").texts() },
    env: readEnvironment(container.at("env")),
  });
}

export type Volume =
  | { readonly name: string; readonly persistentVolumeClaim: { readonly claimName: string } }
  | { readonly name: string; readonly hostPath: { readonly path: string; readonly type?: string } };

/** Claims and paths of the node alone: secrets and the rest are not triage's business. */
function readVolume(volume: Cursor): Volume[] {
  const name = volume.at("name").text() ?? "";
  const claim = volume.at("persistentVolumeClaim");
  const host = volume.at("hostPath");
  if (claim.there) return [{ name, persistentVolumeClaim: { claimName: claim.at("claimName").name() ?? "" } }];
  if (!host.there) return [];
  return [{ name, hostPath: defined({ path: host.at("path").text() ?? "", type: host.at("type").text() }) }];
}

function readPodStatus(status: Cursor) {
  return defined({
    phase: status.at("phase").text() ?? "",
    reason: status.at("reason").text(),
    message: status.at("message").text(),
    nominatedNodeName: status.at("nominatedNodeName").name(),
    conditions: readConditions(status.at("conditions")),
    initContainerStatuses: status.at("initContainerStatuses").each().map(readContainerStatus),
    containerStatuses: status.at("containerStatuses").each().map(readContainerStatus),
  });
}

function readContainerStatus(status: Cursor) {
  return {
    name: status.at("name").name() ?? "",
    ready: status.at("ready").flag() ?? false,
    restartCount: status.at("restartCount").number() ?? 0,
    state: readState(status.at("state")),
    lastState: readState(status.at("lastState")),
  };
}
export type ContainerStatus = ReturnType<typeof readContainerStatus>;

function readState(state: Cursor) {
  const [waiting, running, ended] = [state.at("waiting"), state.at("running"), state.at("terminated")];
  return defined({
    running: running.there ? defined({ startedAt: running.at("startedAt").text() }) : undefined,
    waiting: waiting.there
      ? defined({ reason: waiting.at("reason").text(), message: waiting.at("message").text() })
      : undefined,
    terminated: ended.there
      ? defined({
          reason: ended.at("reason").text(),
          exitCode: ended.at("exitCode").number(),
          message: readReport(ended.at("message")),
          startedAt: ended.at("startedAt").text(),
          finishedAt: ended.at("finishedAt").text(),
        })
      : undefined,
  });
}

/** A program may leave anything behind as its message, the end of its log among it: only a test's report is kept. */
function readReport(message: Cursor): string | undefined {
  const report = testReport(message.text() ?? "");
  return report && JSON.stringify(report);
}
