import type { Evidence, Finding, Found } from "../../conclusions";
import { isSubject, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { knownError } from "../../snapshot/logs/known-errors";
import type { ContainerStatus, Pod } from "../../snapshot/objects/pod";
import { allStatuses, restartingContainers } from "../../snapshot/pods";
import { probeKill } from "./probe-kills";
import { isNew, secondsBetween, startupSeconds } from "../../snapshot/time";
import {
  isOutOfMemory,
  showLog,
  endEvidenceText,
  endText,
  eventEvidence,
  logEvidence,
  podEvidence,
  scopeOfPod,
} from "../finding-parts";

type End = NonNullable<ContainerStatus["state"]["terminated"]>;
type CrashLoopId = "crash-loop" | "operator-pod-crash-loop";

/** What keeps the containers of a placed pod from running. */
export function containerFindings(pod: Pod, snapshot: ClusterSnapshot, id: CrashLoopId = "crash-loop"): Finding[] {
  return allStatuses(pod).flatMap((status) =>
    [
      imagePull(pod, status, snapshot),
      cannotStart(pod, status),
      ...probeKill(pod, status, snapshot),
      crashLoop(pod, status, id, snapshot),
    ].flat(),
  );
}

const pullReasons = ["ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"];

/** What a registry or containerd says about a pull, and what it means; the first that matches. */
const pullCauses: readonly (readonly [pattern: RegExp, what: string])[] = [
  [
    /\b429\b|toomanyrequests|rate.?limit/i,
    "The registry refuses more pulls for now (rate limit). Authenticate, or use a copy in ECR.",
  ],
  [/no match(?:ing manifest)? for/i, "The image has no variant for the CPU architecture of the node."],
  [
    /\b40[13]\b|unauthorized|denied|no basic auth|failed to authorize/i,
    "The registry denies access: the pull secret is missing or wrong (nvcr.io: an NGC key), the role of the node may not read ECR, or the name does not exist.",
  ],
  [/not found|manifest unknown|does not exist/i, "The registry has no image of this name and tag."],
  [
    /timeout|deadline exceeded|no such host|connection re\w+|x509|TLS handshake/i,
    "The node cannot reach the registry: check its route to the internet (NAT), DNS, proxy and certificates, or the VPC endpoints of ECR and S3.",
  ],
];

function pullText(evidence: readonly Evidence[]): string {
  const texts = evidence.map(({ value }) => value);
  if (texts.some((text) => knownError(text) === "disk-full")) return "The node has no space left for it.";
  const cause = pullCauses.find(([pattern]) => texts.some((text) => pattern.test(text)));
  return cause?.[1] ?? "Check its name, its tag and the permission to pull it.";
}

function imagePull(pod: Pod, { name, state }: ContainerStatus, { eventsOf }: ClusterSnapshot): Found {
  if (!pullReasons.includes(state.waiting?.reason ?? "")) return [];
  // A back-off does not always repeat the error of the pull.
  const failure = eventsOf("Pod", pod.metadata).findLast(({ message }) => message.startsWith("Failed to pull image"));
  const evidence = [waitingEvidence(pod, name, state), ...(failure ? [eventEvidence(failure)] : [])];
  const image = [...pod.spec.initContainers, ...pod.spec.containers].find((one) => one.name === name)?.image;
  return {
    id: "image-pull",
    ...scopeOfPod(pod),
    what: `The image ${image ?? `of container ${name}`} cannot be pulled. ${pullText(evidence)}`,
    evidence,
    next: ["Show the response of the registry => kubectl describe {pod} | tail -20"],
  };
}

const createReasons = ["CreateContainerConfigError", "CreateContainerError", "RunContainerError", "PostStartHookError"];

function cannotStart(pod: Pod, { name, state }: ContainerStatus): Found {
  const { reason = "", message = "" } = state.waiting ?? {};
  if (!createReasons.includes(reason)) return [];
  const isNvidiaRuntime = /nvidia-container|libnvidia|nvml|cdi/i.test(message);
  const cause = isNvidiaRuntime
    ? " The NVIDIA runtime failed: the driver or its libraries are missing or do not match."
    : reason === "CreateContainerConfigError"
      ? ` The kubelet cannot configure it: ${message}.`
      : "";
  return {
    id: "container-start",
    ...scopeOfPod(pod),
    what: `Container ${name} cannot be started.${cause}`,
    evidence: [waitingEvidence(pod, name, state)],
    next: ["Show the events of the pod => kubectl describe {pod} | tail -20"],
  };
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

function lastEnd({ state, lastState }: ContainerStatus): End | undefined {
  return state.terminated ?? (state.running && lastState.terminated);
}

function isActive({ status, metadata }: Pod): boolean {
  return (status.phase === "Running" || status.phase === "Pending") && metadata.deletionTimestamp === undefined;
}

/** Whether the last run of a container was short, and its end is recent. */
function isShortRun({ state }: ContainerStatus, end: End, now: number): boolean {
  const ran = secondsBetween(end.startedAt, Date.parse(end.finishedAt ?? "")) ?? 0;
  const since = secondsBetween(state.running?.startedAt ?? end.finishedAt, now) ?? Infinity;
  return ran < startupSeconds && since < startupSeconds;
}

function exitText(end: End | undefined): string {
  return isOutOfMemory(end) ? "because it exceeds its memory limit (OOMKilled)" : endText(end);
}

const showLimits =
  "Show the memory limits of the containers. Then raise the limit of this one => kubectl get {pod} -o jsonpath='{.spec.containers[*].resources}'";

function crashLoop(pod: Pod, status: ContainerStatus, id: CrashLoopId, snapshot: ClusterSnapshot): Found {
  const { name, state, lastState, restartCount } = status;
  const isBackOff = state.waiting?.reason === "CrashLoopBackOff";
  if (!isBackOff && !keepsExiting(pod, status, snapshot)) return [];
  const end = state.terminated ?? lastState.terminated;
  const current = isBackOff ? "CrashLoopBackOff" : state.running ? "running" : "ended";
  const healthy = state.running ? " It looks healthy between two exits." : "";
  return {
    id,
    ...scopeOfPod(pod),
    atMost: isBackOff ? undefined : "likely",
    what: `Container ${name} keeps exiting ${exitText(end)}; ${restartCount} restarts.${healthy}`,
    evidence: [
      podEvidence(
        pod,
        `status.containerStatuses[${name}]`,
        `${current}, restartCount ${restartCount}, last ended ${endEvidenceText(end)}`,
        end?.finishedAt,
      ),
      ...logEvidence(pod, name, snapshot),
    ],
    next: [isOutOfMemory(end) ? showLimits : undefined, showLog(name)],
  };
}
