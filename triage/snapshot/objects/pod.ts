import { lastLines, recognizedLines } from "../logs/known-errors";
import { testReport } from "../logs/test-report";
import { readConditions, readEnvironment, readMeta, readNodeAffinity, readTolerations } from "./common";
import { withoutUndefined } from "../../../components/core/reader/records";
import { type ObjectReader } from "./object-reader";

export function readPod(pod: ObjectReader) {
  return {
    kind: "Pod" as const,
    metadata: readMeta(pod.at("metadata")),
    spec: readPodSpec(pod.at("spec")),
    status: readPodStatus(pod.at("status")),
  };
}
export type Pod = ReturnType<typeof readPod>;

/** Reads the spec of a pod, or of the pod template of a DaemonSet or Job. */
export function readPodSpec(spec: ObjectReader) {
  return withoutUndefined({
    nodeName: spec.at("nodeName").name(),
    nodeSelector: spec.at("nodeSelector").stringMap(),
    affinity: readNodeAffinity(spec.at("affinity")),
    tolerations: readTolerations(spec.at("tolerations")),
    ...spec.numbers("priority"),
    ...spec.texts("priorityClassName", "restartPolicy"),
    schedulingGates: spec.each("schedulingGates", (gate) => ({ name: "", ...gate.texts("name") })),
    resourceClaims: spec.at("resourceClaims").exists ? spec.each("resourceClaims", readResourceClaim) : undefined,
    initContainers: spec.each("initContainers", readContainer),
    containers: spec.each("containers", readContainer),
    volumes: spec.each("volumes", readVolume).flat(),
  });
}
export type PodSpec = ReturnType<typeof readPodSpec>;

/** A claim by its name, or by the template that it is created from. */
function readResourceClaim(claim: ObjectReader) {
  return withoutUndefined({
    name: claim.at("name").string() ?? "",
    resourceClaimName: claim.at("resourceClaimName").name(),
    resourceClaimTemplateName: claim.at("resourceClaimTemplateName").name(),
  });
}

function readContainer(container: ObjectReader) {
  const resources = container.at("resources");
  return withoutUndefined({
    name: container.at("name").name() ?? "",
    ...container.texts("image", "restartPolicy"),
    resources: { requests: resources.at("requests").stringMap(), limits: resources.at("limits").stringMap() },
    env: readEnvironment(container.at("env")),
  });
}

export type Volume =
  | { readonly name: string; readonly persistentVolumeClaim: { readonly claimName: string } }
  | { readonly name: string; readonly hostPath: { readonly path: string; readonly type?: string } };

/** Keeps claims and host paths. Other volumes, such as Secrets, are dropped. */
function readVolume(volume: ObjectReader): Volume[] {
  const name = volume.at("name").string() ?? "";
  const claim = volume.at("persistentVolumeClaim");
  const host = volume.at("hostPath");
  if (claim.exists) return [{ name, persistentVolumeClaim: { claimName: claim.at("claimName").name() ?? "" } }];
  if (!host.exists) return [];
  return [{ name, hostPath: { path: "", ...host.texts("path", "type") } }];
}

function readPodStatus(status: ObjectReader) {
  return withoutUndefined({
    ...{ phase: "", ...status.texts("phase", "reason", "message") },
    conditions: readConditions(status.at("conditions")),
    initContainerStatuses: status.each("initContainerStatuses", readContainerStatus),
    containerStatuses: status.each("containerStatuses", readContainerStatus),
  });
}

function readContainerStatus(status: ObjectReader) {
  return {
    name: status.at("name").name() ?? "",
    ready: status.at("ready").boolean() ?? false,
    restartCount: status.at("restartCount").number() ?? 0,
    state: readState(status.at("state")),
    lastState: readState(status.at("lastState")),
  };
}
export type ContainerStatus = ReturnType<typeof readContainerStatus>;

function readState(state: ObjectReader) {
  const [waiting, running, ended] = [state.at("waiting"), state.at("running"), state.at("terminated")];
  return withoutUndefined({
    running: running.exists ? running.texts("startedAt") : undefined,
    waiting: waiting.exists ? waiting.texts("reason", "message") : undefined,
    terminated: ended.exists ? readEnd(ended) : undefined,
  });
}

function readEnd(end: ObjectReader) {
  const { exitCode } = end.numbers("exitCode");
  const message = readEndMessage(end.at("message"), exitCode !== 0);
  return withoutUndefined({ ...end.texts("reason", "startedAt", "finishedAt"), exitCode, message });
}

/** A termination message may hold the end of a log. Only the report of a known test and one line are kept. */
function readEndMessage(message: ObjectReader, hasFailed: boolean): string | undefined {
  const text = message.string() ?? "";
  const report = testReport(text);
  return report ? JSON.stringify(report) : (hasFailed ? lastLines(text) : recognizedLines(text)).at(-1);
}
