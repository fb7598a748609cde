import { lastLines, recognizedLines } from "../logs/known-errors";
import { testReport } from "../logs/test-report";
import { withoutUndefined } from "../../../components/core/reader/records";
import { kindOf, readConditions, readEnvironment, readNodeAffinity, readTolerations } from "./common";
import { type ObjectReader } from "./object-reader";
import {
  each,
  flag,
  listOf,
  map,
  name,
  nameOrEmpty,
  number,
  numberOrZero,
  objectOf,
  optional,
  text,
  textOrEmpty,
  withDefault,
} from "./shape";

/** A claim by its name, or by the template that it is created from. */
const readResourceClaim = objectOf({
  name: textOrEmpty,
  resourceClaimName: name,
  resourceClaimTemplateName: name,
});

const readContainers = listOf(
  objectOf({
    name: nameOrEmpty,
    ...each(text, "image", "restartPolicy"),
    resources: objectOf({ requests: map, limits: map }),
    env: readEnvironment,
  }),
);

type Volume =
  | { readonly name: string; readonly persistentVolumeClaim: { readonly claimName: string } }
  | { readonly name: string; readonly hostPath: { readonly path: string; readonly type?: string } };

const readClaimVolume = objectOf({ name: textOrEmpty, persistentVolumeClaim: objectOf({ claimName: nameOrEmpty }) });
const readHostVolume = objectOf({ name: textOrEmpty, hostPath: objectOf({ path: textOrEmpty, type: text }) });

/** Keeps claims and host paths. Other volumes, such as Secrets, are dropped. */
function readVolume(volume: ObjectReader): Volume[] {
  if (volume.at("persistentVolumeClaim").exists) return [readClaimVolume(volume)];
  return volume.at("hostPath").exists ? [readHostVolume(volume)] : [];
}

/** The spec of a pod, or of the pod template of a DaemonSet or Job. */
export const readPodSpec = objectOf({
  nodeName: name,
  nodeSelector: map,
  affinity: readNodeAffinity,
  tolerations: readTolerations,
  priority: number,
  ...each(text, "priorityClassName", "restartPolicy"),
  schedulingGates: listOf(objectOf({ name: textOrEmpty })),
  resourceClaims: optional(listOf(readResourceClaim)),
  ...each(readContainers, "initContainers", "containers"),
  volumes: (volumes) => volumes.items().flatMap(readVolume),
});
export type PodSpec = ReturnType<typeof readPodSpec>;

const readState = objectOf({
  running: optional(objectOf({ startedAt: text })),
  waiting: optional(objectOf(each(text, "reason", "message"))),
  terminated: optional(readEnd),
});

const readContainerStatus = objectOf({
  name: nameOrEmpty,
  ready: withDefault(flag, false),
  restartCount: numberOrZero,
  ...each(readState, "state", "lastState"),
});
export type ContainerStatus = ReturnType<typeof readContainerStatus>;

export const readPod = kindOf("Pod", {
  spec: readPodSpec,
  status: objectOf({
    phase: textOrEmpty,
    ...each(text, "reason", "message"),
    conditions: readConditions,
    ...each(listOf(readContainerStatus), "initContainerStatuses", "containerStatuses"),
  }),
});
export type Pod = ReturnType<typeof readPod>;

const readEndFields = objectOf({ ...each(text, "reason", "startedAt", "finishedAt"), exitCode: number });

function readEnd(end: ObjectReader) {
  const fields = readEndFields(end);
  return withoutUndefined({ ...fields, message: readEndMessage(end.at("message"), fields.exitCode !== 0) });
}

/** A termination message may hold the end of a log. Only the report of a known test and one line are kept. */
function readEndMessage(message: ObjectReader, hasFailed: boolean): string | undefined {
  const text = message.string() ?? "";
  const report = testReport(text);
  return report ? JSON.stringify(report) : (hasFailed ? lastLines(text) : recognizedLines(text)).at(-1);
}
