import type { Finding } from "../../finding";
import type { ContainerStatus, Pod } from "../../objects/pod";
import { aboutPod } from "../about";
import { isYoung, secondsBetween, settlingSeconds } from "../age";
import { allStatuses, endsToRepeat, kubectlName } from "../pods";
import { isAsked, type Scene } from "../scene";

const pullReasons = ["ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"];

/** What keeps the containers of a placed pod from running: no event of the scheduler says it. */
export function containerFindings(
  pod: Pod,
  scene: Scene,
  id: "crash-loop" | "operator-pod-crash-loop" = "crash-loop",
): Finding[] {
  return allStatuses(pod).flatMap((status) => [
    ...imagePull(pod, status),
    ...cannotStart(pod, status),
    ...crashLoop(pod, status, id, scene),
  ]);
}

function imagePull(pod: Pod, { name, state }: ContainerStatus): Finding[] {
  const reason = state.waiting?.reason ?? "";
  if (!pullReasons.includes(reason)) return [];
  const image = [...pod.spec.initContainers, ...pod.spec.containers].find((one) => one.name === name)?.image;
  return [
    {
      id: "image-pull",
      ...aboutPod(pod),
      level: "problem",
      sure: "certain",
      what: `The image ${image ?? `of container ${name}`} cannot be pulled: its name, its tag, or the right to read it.`,
      evidence: [
        {
          object: kubectlName("pod", pod.metadata),
          field: `status.containerStatuses[${name}].state.waiting`,
          value: `${reason}${state.waiting?.message === undefined ? "" : `: ${state.waiting.message}`}`,
        },
      ],
      next: [
        {
          why: "What the registry answered",
          command: `kubectl describe ${kubectlName("pod", pod.metadata)} | tail -20`,
        },
      ],
    },
  ];
}

const createReasons = ["CreateContainerConfigError", "CreateContainerError", "RunContainerError", "PostStartHookError"];

/** Also where the NVIDIA runtime fails: its words stand in the message. */
function cannotStart(pod: Pod, { name, state }: ContainerStatus): Finding[] {
  const { reason = "", message } = state.waiting ?? {};
  if (!createReasons.includes(reason)) return [];
  const nvidia = /nvidia-container|libnvidia|nvml|cdi/i.test(message ?? "");
  return [
    {
      id: "container-start",
      ...aboutPod(pod),
      level: "problem",
      sure: "certain",
      what: `Container ${name} cannot be started${nvidia ? ": the NVIDIA runtime fails, so the driver or its libraries are not as it wants them" : ""}.`,
      evidence: [
        {
          object: kubectlName("pod", pod.metadata),
          field: `status.containerStatuses[${name}].state.waiting`,
          value: `${reason}${message === undefined ? "" : `: ${message}`}`,
        },
      ],
      next: [{ why: "Its events", command: `kubectl describe ${kubectlName("pod", pod.metadata)} | tail -20` }],
    },
  ];
}

/** Fewer may be a start that came too early for what it needs. */
const loopRestarts = 3;

/**
 * Whether a container that does not wait in a back-off is in a crash loop all the same: it has just ended, or runs until
 * it ends again. The kubelet calls it none any more once a run has lasted ten minutes. An end without an error may be
 * meant so: only who asks is told.
 */
function endsAgain(pod: Pod, status: ContainerStatus, scene: Scene): boolean {
  const { state, lastState, restartCount } = status;
  const asked = isAsked(scene.dump.subject, pod);
  const end = state.terminated ?? (state.running && lastState.terminated);
  const goesOn = pod.status.phase === "Running" || pod.status.phase === "Pending";
  if (!end || restartCount < loopRestarts || !goesOn || pod.metadata.deletionTimestamp) return false;
  if (end.exitCode === 0 && !(asked && endsToRepeat(pod).includes(status))) return false;
  const ran = secondsBetween(end.startedAt, Date.parse(end.finishedAt ?? "")) ?? 0;
  const since = secondsBetween(state.running?.startedAt ?? end.finishedAt, scene.now) ?? Infinity;
  if (ran >= settlingSeconds || since >= settlingSeconds) return false;
  // A new pod that runs by now may have got over its start.
  return !state.running || !isYoung(pod, scene.now) || asked;
}

function crashLoop(
  pod: Pod,
  status: ContainerStatus,
  id: "crash-loop" | "operator-pod-crash-loop",
  scene: Scene,
): Finding[] {
  const { name, state, lastState, restartCount } = status;
  const backOff = state.waiting?.reason === "CrashLoopBackOff";
  if (!backOff && !endsAgain(pod, status, scene)) return [];
  const end = state.terminated ?? lastState.terminated;
  const now = backOff ? "CrashLoopBackOff" : state.running ? "running" : "ended";
  const how = end?.reason === "OOMKilled" ? "it needs more memory than its limit (OOMKilled)" : endText(end);
  return [
    {
      id,
      ...aboutPod(pod),
      level: "problem",
      sure: backOff ? "certain" : "likely",
      what: `Container ${name} ends again and again: ${how}, ${restartCount} restarts.${state.running ? " In between it looks healthy." : ""}`,
      evidence: [
        {
          object: kubectlName("pod", pod.metadata),
          field: `status.containerStatuses[${name}]`,
          value: `${now}, restartCount ${restartCount}, last ended ${endText(end)}`,
          ...(end?.finishedAt !== undefined && { at: end.finishedAt }),
        },
      ],
      next: [
        {
          why: "What it said before it ended",
          command: `kubectl logs ${kubectlName("pod", pod.metadata)} -c ${name} --previous --tail=50`,
        },
      ],
    },
  ];
}

export function endText(end: ContainerStatus["state"]["terminated"]): string {
  if (!end) return "for a reason not known";
  return `with exit code ${end.exitCode ?? "?"}${end.reason === undefined ? "" : ` (${end.reason})`}`;
}
