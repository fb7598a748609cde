import { listOf, type Evidence, type Finding } from "../../conclusions";
import { jobOf, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { knownError } from "../../snapshot/logs/known-errors";
import { testReport } from "../../snapshot/logs/test-report";
import { conditionOf } from "../../snapshot/nodes";
import type { ContainerStatus, Pod } from "../../snapshot/objects/pod";
import { failedContainers, hasRun, requestsGpu, stopReasons } from "../../snapshot/pods";
import {
  describePod,
  endEvidenceText,
  endText,
  eventEvidence,
  logEvidence,
  podEvidence,
  scopeOfPod,
  joinPresent,
} from "../finding-parts";

/**
 * Why a pod that had a node ended without completing.
 *
 * @param isAsked whether the user asks about this pod
 */
export function stopFindings(pod: Pod, snapshot: ClusterSnapshot, isAsked: boolean): Finding[] {
  const { phase, reason = "" } = pod.status;
  if (reason === "NodeLost" || phase === "Unknown") return [nodeLost(pod, snapshot)];
  if (phase !== "Failed") return [];
  const stop = evicted(pod, snapshot) ?? rejected(pod, snapshot);
  if (stop) return [{ ...stop, level: isAsked || !isReplaced(pod, snapshot) ? "problem" : "notice" }];
  // The conclusion about a Job covers the failures of its pods.
  if (!isAsked && pod.metadata.ownerReferences.length > 0) return [];
  return [reason === deadlineReason ? outOfTime(pod, snapshot) : failed(pod, snapshot)];
}

/**
 * Whether a controller has replaced the pod, or will. A Job that has failed does not. Each replacement can fail for the
 * same reason, so the newest pod counts as not replaced. Other pods than GPU pods are not all read.
 */
function isReplaced(pod: Pod, snapshot: ClusterSnapshot): boolean {
  const [owner] = pod.metadata.ownerReferences;
  const job = jobOf(pod, snapshot);
  if (!owner || (job && conditionOf(job.status.conditions, "Failed")?.status === "True")) return false;
  const willRetry = job !== undefined && knownError(pod.status.message ?? "") === undefined;
  return willRetry || !requestsGpu(pod) || isScaledDown(owner.name, pod, snapshot) || hasSuccessor(pod, snapshot);
}

function isScaledDown(owner: string, { metadata }: Pod, { objects }: ClusterSnapshot): boolean {
  const set = objects.replicasets.find(
    (one) => one.metadata.name === owner && one.metadata.namespace === metadata.namespace,
  );
  return set?.spec.replicas === 0;
}

/** Whether the owner of a pod has another pod that has not ended, or a newer one. */
function hasSuccessor({ metadata: own }: Pod, { objects }: ClusterSnapshot): boolean {
  const isNewer = ({ creationTimestamp: at = "", name }: Pod["metadata"]) =>
    at === (own.creationTimestamp ?? "") ? name > own.name : at > (own.creationTimestamp ?? "");
  return objects.pods.some(
    ({ metadata, status }) =>
      metadata.name !== own.name &&
      metadata.namespace === own.namespace &&
      metadata.ownerReferences[0]?.name === own.ownerReferences[0]?.name &&
      (!/^(Succeeded|Failed)$/.test(status.phase) || isNewer(metadata)),
  );
}

const shutdown = "The pod was stopped because its node was shut down.";
const evictions: Readonly<Partial<Record<string, string>>> = {
  Evicted:
    "The kubelet evicted the pod because the node ran out of a resource, or because the pod exceeded a storage limit.",
  Preempting: "The kubelet stopped the pod to make room for a critical pod.",
  Preempted: "The scheduler stopped the pod to make room for a pod with a higher priority.",
  Terminated: shutdown,
  NodeShutdown: shutdown,
  Shutdown: shutdown,
};

function evicted(pod: Pod, snapshot: ClusterSnapshot): Finding | undefined {
  const what = evictions[pod.status.reason ?? ""] ?? disruptionText(pod);
  return what === undefined ? undefined : stopped(pod, "evicted", what, snapshot);
}

/** @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions */
function disruptionText({ status }: Pod): string | undefined {
  const found = conditionOf(status.conditions, "DisruptionTarget");
  return found?.status === "True" ? `The pod was disrupted (${found.reason ?? "no reason"}).` : undefined;
}

/**
 * The kubelet rejects a pod that the scheduler has placed. With GPUs this happens when a device plugin stops after the
 * scheduler has counted its GPUs.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/kubelet/lifecycle/predicate.go
 */
function rejected(pod: Pod, snapshot: ClusterSnapshot): Finding | undefined {
  const { reason = "", message = "" } = pod.status;
  if (hasRun(pod) || reason === "" || reason === deadlineReason) return undefined;
  const isGpu = /nvidia\.com\/(?:gpu|mig-)/.test(`${reason} ${message}`);
  const what = isGpu
    ? "The scheduler placed the pod, but the kubelet had no GPU for it: the device plugin stopped, the GPUs are unhealthy, or another pod got them first. The pod stays Failed when a GPU becomes free."
    : "The scheduler placed the pod, but the kubelet rejected it. The pod stays Failed.";
  const finding = stopped(pod, isGpu ? "gpu-not-allocated" : "admission-rejected", what, snapshot);
  return {
    ...finding,
    next: [pod.metadata.ownerReferences.length > 0 ? undefined : recreate, ...listOf(finding.next)],
  };
}

/** @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/kubelet/active_deadline.go */
const deadlineReason = "DeadlineExceeded";

/** The kubelet stops a pod that exceeds its `activeDeadlineSeconds`. The time before the pod had a node does not count. */
function outOfTime(pod: Pod, snapshot: ClusterSnapshot): Finding {
  const when = hasRun(pod)
    ? "while its containers ran"
    : "before its containers started: pulling the images or mounting the volumes took too long";
  return stopped(
    pod,
    "pod-failed",
    `The pod exceeded its activeDeadlineSeconds ${when}. It is not restarted.`,
    snapshot,
  );
}

/** A pod without a controller must be created again by hand. */
const recreate =
  "After you fix the cause, delete the pod and create it again (in a lab: pulumi up --refresh) =!> kubectl delete {pod}";

function nodeLost(pod: Pod, snapshot: ClusterSnapshot): Finding {
  const what = `The node ${pod.spec.nodeName ?? ""} stopped reporting, so the state of the pod is not known. The pod holds its GPU until the node reports again or is deleted.`;
  return stopped(pod, "node-lost", what, snapshot);
}

function stopped(pod: Pod, id: Finding["id"], what: string, { eventsOf }: ClusterSnapshot): Finding {
  const event = eventsOf("Pod", pod.metadata)
    .filter(({ reason }) => stopReasons.includes(reason))
    .at(-1);
  return {
    id,
    ...scopeOfPod(pod),
    what,
    evidence: [
      { ...statusEvidence(pod), ...(pod.metadata.creationTimestamp && { at: pod.metadata.creationTimestamp }) },
      ...(event ? [eventEvidence(event)] : []),
    ],
    next: [describePod],
  };
}

function failed(pod: Pod, snapshot: ClusterSnapshot): Finding {
  const ends = failedContainers(pod);
  const [first] = ends;
  const how = first ? `Container ${first.name} ended ${endText(first.state.terminated)}` : "The pod failed";
  return {
    id: "pod-failed",
    ...scopeOfPod(pod),
    what: `${how}. The pod is not restarted.`,
    evidence:
      ends.length > 0
        ? ends.flatMap((status) => [endEvidence(pod, status), ...logEvidence(pod, status.name, snapshot)])
        : [statusEvidence(pod)],
    next: ["Show the log of the pod => kubectl logs {pod} --all-containers --tail=50"],
  };
}

function statusEvidence(pod: Pod): Evidence {
  const { phase, reason, message, conditions } = pod.status;
  const disruption = conditionOf(conditions, "DisruptionTarget")?.message;
  return podEvidence(pod, "status.phase, reason, message", joinPresent(phase, reason, message, disruption));
}

/** How a container ended: its own report if it left one, else its exit code. */
export function endEvidence(pod: Pod, { name, state }: ContainerStatus): Evidence {
  const end = state.terminated;
  const report = testReport(end?.message ?? "");
  const field = `status.containerStatuses[${name}].state.terminated`;
  const reason = report?.reason === undefined ? "" : `: ${report.reason}`;
  return report
    ? podEvidence(pod, `${field}.message`, `${report.result} at stage ${report.stage}${reason}`, end?.finishedAt)
    : podEvidence(pod, field, endEvidenceText(end), end?.finishedAt);
}
