import { finding, type Finding } from "../../conclusions";
import { evictions } from "../../conclusions/placed-pods";
import type { Evidence } from "../../conclusions/entry";
import { jobOf, named, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { knownError } from "../../snapshot/logs/known-errors";
import { testReport } from "../../snapshot/logs/test-report";
import { conditionOf } from "../../snapshot/nodes";
import type { ContainerStatus, Pod } from "../../snapshot/objects/resources";
import { eventReasons, failedContainers, hasRun, requestsGpu } from "../../snapshot/pods";
import { endEvidenceText, joinPresent } from "../../texts";
import { eventEvidence, evidenceOf, logEvidence } from "../finding-parts";

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
  return named(objects.replicasets, { namespace: metadata.namespace, name: owner })?.spec.replicas === 0;
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

function evicted(pod: Pod, snapshot: ClusterSnapshot): Finding | undefined {
  const { reason = "" } = pod.status;
  const cause = reason in evictions ? reason : disruptionOf(pod);
  return cause === undefined
    ? undefined
    : finding("evicted", pod, { evidence: stopEvidence(pod, snapshot), reason: cause });
}

/** @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions */
function disruptionOf({ status }: Pod): string | undefined {
  const found = conditionOf(status.conditions, "DisruptionTarget");
  return found?.status === "True" ? (found.reason ?? "no reason") : undefined;
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
  return finding(isGpu ? "gpu-not-allocated" : "admission-rejected", pod, {
    evidence: stopEvidence(pod, snapshot),
    isOwned: pod.metadata.ownerReferences.length > 0,
  });
}

/** @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/kubelet/active_deadline.go */
const deadlineReason = "DeadlineExceeded";

/** The kubelet stops a pod that exceeds its `activeDeadlineSeconds`. The time before the pod had a node does not count. */
function outOfTime(pod: Pod, snapshot: ClusterSnapshot): Finding {
  const evidence = stopEvidence(pod, snapshot);
  return finding("pod-failed", pod, { evidence, deadline: hasRun(pod) ? "running" : "starting" });
}

function nodeLost(pod: Pod, snapshot: ClusterSnapshot): Finding {
  return finding("node-lost", pod, { evidence: stopEvidence(pod, snapshot), node: pod.spec.nodeName ?? "" });
}

function stopEvidence(pod: Pod, { eventsOf }: ClusterSnapshot): readonly (Evidence | undefined)[] {
  const event = eventsOf(pod.metadata).findLast(({ reason }) => eventReasons.stop.includes(reason));
  return [{ ...statusEvidence(pod), at: pod.metadata.creationTimestamp }, event && eventEvidence(event)];
}

function failed(pod: Pod, snapshot: ClusterSnapshot): Finding {
  const ends = failedContainers(pod);
  return finding("pod-failed", pod, {
    evidence:
      ends.length > 0
        ? ends.flatMap((status) => [endEvidence(pod, status), ...logEvidence(pod, status.name, snapshot)])
        : [statusEvidence(pod)],
    status: ends[0],
  });
}

function statusEvidence(pod: Pod): Evidence {
  const { phase, reason, message, conditions } = pod.status;
  const disruption = conditionOf(conditions, "DisruptionTarget")?.message;
  return evidenceOf(pod, "status.phase, reason, message", joinPresent(phase, reason, message, disruption));
}

/** How a container ended: its own report if it left one, else its exit code. */
export function endEvidence(pod: Pod, { name, state }: ContainerStatus): Evidence {
  const end = state.terminated;
  const report = testReport(end?.message ?? "");
  const field = `status.containerStatuses[${name}].state.terminated`;
  const reason = report?.reason === undefined ? "" : `: ${report.reason}`;
  return report
    ? evidenceOf(pod, `${field}.message`, `${report.result} at stage ${report.stage}${reason}`, end?.finishedAt)
    : evidenceOf(pod, field, endEvidenceText(end), end?.finishedAt);
}
