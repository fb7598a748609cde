import { testReport } from "../../classify/test-report";
import type { Evidence, Finding, NextStep } from "../../finding";
import type { ContainerStatus, Pod } from "../../objects/pod";
import { aboutPod } from "../about";
import { jobOf } from "../owners";
import { badEnds, hasRun, kubectlName } from "../pods";
import { conditionOf, type Scene } from "../scene";
import { stated } from "../seen";
import { endText } from "./containers";
import { describe, eventEvidence } from "./starting";

/** Events that say why the kubelet, or the control plane, ended a pod. */
export const stopReasons = ["UnexpectedAdmissionError", "Evicted", "NodeNotReady"] as const;

/** Why a pod that had a node ended without doing its work. `asked`: the question is about this pod. */
export function stopFindings(pod: Pod, scene: Scene, asked: boolean): Finding[] {
  const { phase, reason = "" } = pod.status;
  if (reason === "NodeLost" || phase === "Unknown") return [nodeLost(pod, scene)];
  if (phase !== "Failed") return [];
  const level = asked || !isReplaced(pod, scene) ? "problem" : "notice";
  const evicted = evictions[reason] ?? disruption(pod);
  if (evicted !== undefined) return [{ ...ended(pod, "evicted", evicted, scene), level }];
  if (!hasRun(pod) && reason !== "") return [{ ...rejected(pod, scene), level }];
  // What a Job's pods ended with is told with their Job.
  return asked || pod.metadata.ownerReferences.length === 0 ? [failed(pod)] : [];
}

/** Controllers replace a pod that ended; a Job may have given up. */
function isReplaced(pod: Pod, scene: Scene): boolean {
  const job = jobOf(pod, scene);
  const gaveUp = job !== undefined && conditionOf(job.status.conditions, "Failed")?.status === "True";
  return pod.metadata.ownerReferences.length > 0 && !gaveUp;
}

const shutDown = "The pod was ended because its node was shut down.";
const evictions: Readonly<Partial<Record<string, string>>> = {
  Evicted: "The kubelet evicted the pod because its node ran short of something, or the pod used more than its limit.",
  Preempting: "The kubelet ended the pod to make room for a critical one.",
  Preempted: "The scheduler ended the pod to make room for one of a higher priority.",
  Terminated: shutDown,
  NodeShutdown: shutDown,
  Shutdown: shutDown,
};

/** @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions */
function disruption({ status }: Pod): string | undefined {
  const found = conditionOf(status.conditions, "DisruptionTarget");
  return found?.status === "True" ? `The pod was ended from outside (${found.reason ?? "no reason"}).` : undefined;
}

/**
 * The kubelet refuses a pod that the scheduler has placed. With GPUs that happens when a device plugin stops after the
 * scheduler has counted what it offered.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/kubelet/lifecycle/predicate.go
 */
function rejected(pod: Pod, scene: Scene): Finding {
  const { reason = "", message = "" } = pod.status;
  const gpu = /nvidia\.com\/(?:gpu|mig-)/.test(`${reason} ${message}`);
  const what = gpu
    ? "The scheduler placed the pod, and the kubelet had no GPU for it: the device plugin stopped, its GPUs are unhealthy, or another pod was first. The pod stays Failed when the GPU is back."
    : "The scheduler placed the pod, and the kubelet refused it. It stays Failed.";
  const finding = ended(pod, gpu ? "gpu-not-allocated" : "admission-rejected", what, scene);
  return { ...finding, next: [...again(pod), ...finding.next] };
}

/** Only a pod that nobody made has to be made anew by hand. */
function again(pod: Pod): NextStep[] {
  if (pod.metadata.ownerReferences.length > 0) return [];
  return [
    {
      why: "Once the cause is gone: take it away, and make it anew (in a lab: pulumi up --refresh)",
      command: `kubectl delete ${kubectlName("pod", pod.metadata)}`,
      changes: true,
    },
  ];
}

function nodeLost(pod: Pod, scene: Scene): Finding {
  const what = `Its node ${pod.spec.nodeName ?? ""} no longer reports, so how the pod fares is not known. It holds its GPU until the node is back, or gone.`;
  return ended(pod, "node-lost", what, scene);
}

function ended(pod: Pod, id: Finding["id"], what: string, scene: Scene): Finding {
  const { phase, reason, message } = pod.status;
  const event = scene
    .eventsOf("Pod", pod.metadata)
    .filter((one) => stopReasons.some((known) => known === one.reason))
    .at(-1);
  const disrupted = conditionOf(pod.status.conditions, "DisruptionTarget");
  return {
    id,
    ...aboutPod(pod),
    level: "problem",
    sure: "certain",
    what,
    evidence: [
      {
        object: kubectlName("pod", pod.metadata),
        field: "status.phase, reason, message",
        value: stated(phase, reason, message, disrupted?.message),
        ...(pod.metadata.creationTimestamp !== undefined && { at: pod.metadata.creationTimestamp }),
      },
      ...(event ? [eventEvidence(pod, event)] : []),
    ],
    next: [describe(pod)],
  };
}

function failed(pod: Pod): Finding {
  const ends = badEnds(pod);
  const [first] = ends;
  const how = first ? `Container ${first.name} ended ${endText(first.state.terminated)}` : "The pod failed";
  return {
    id: "pod-failed",
    ...aboutPod(pod),
    level: "problem",
    sure: "certain",
    what: `${how}, and the pod is not started again.`,
    evidence: ends.length > 0 ? ends.map((status) => endEvidence(pod, status)) : [phaseEvidence(pod)],
    next: [
      { why: "What it said", command: `kubectl logs ${kubectlName("pod", pod.metadata)} --all-containers --tail=50` },
    ],
  };
}

function phaseEvidence(pod: Pod): Evidence {
  const { reason, message } = pod.status;
  const value = stated("Failed", reason, message);
  return { object: kubectlName("pod", pod.metadata), field: "status.phase, reason, message", value };
}

/** How a container ended: by its own report where it left one. */
export function endEvidence(pod: Pod, { name, state }: ContainerStatus): Evidence {
  const end = state.terminated;
  const report = testReport(end?.message ?? "");
  const field = `status.containerStatuses[${name}].state.terminated`;
  const at = end?.finishedAt;
  return {
    object: kubectlName("pod", pod.metadata),
    field: report ? `${field}.message` : field,
    value: report
      ? `${report.result} at stage ${report.stage}${report.reason === undefined ? "" : `: ${report.reason}`}`
      : endText(end),
    ...(at !== undefined && { at }),
  };
}
