import type { Finding } from "../../finding";
import type { ContainerStatus, Pod } from "../../objects/pod";
import { aboutPod } from "../about";
import { allStatuses, kubectlName } from "../pods";

const pullReasons = ["ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError"];

/** What keeps the containers of a placed pod from running: no event of the scheduler says it. */
export function containerFindings(pod: Pod, id: "crash-loop" | "operator-pod-crash-loop" = "crash-loop"): Finding[] {
  return allStatuses(pod).flatMap((status) => [
    ...imagePull(pod, status),
    ...cannotStart(pod, status),
    ...crashLoop(pod, status, id),
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

function crashLoop(pod: Pod, status: ContainerStatus, id: "crash-loop" | "operator-pod-crash-loop"): Finding[] {
  const { name, state, lastState, restartCount } = status;
  if (state.waiting?.reason !== "CrashLoopBackOff") return [];
  const end = lastState.terminated;
  const how = end?.reason === "OOMKilled" ? "it needs more memory than its limit (OOMKilled)" : endText(end);
  return [
    {
      id,
      ...aboutPod(pod),
      level: "problem",
      sure: "certain",
      what: `Container ${name} ends again and again: ${how}, ${restartCount} restarts.`,
      evidence: [
        {
          object: kubectlName("pod", pod.metadata),
          field: `status.containerStatuses[${name}]`,
          value: `CrashLoopBackOff, restartCount ${restartCount}, last ended ${endText(end)}`,
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
