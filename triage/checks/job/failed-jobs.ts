import { finding, nodeNames, type Finding } from "../../conclusions";
import type { Doubt, Evidence, Scope } from "../../conclusions/entry";
import { byTime, jobOf, type ClusterSnapshot } from "../../snapshot/cluster-snapshot";
import { testReport, verdictOf } from "../../snapshot/logs/test-report";
import { conditionOf, isNodeReady } from "../../snapshot/nodes";
import type { Condition, Event, Job, Node, Pod } from "../../snapshot/objects/resources";
import { failedContainers, gpuRequest, hasRun, podKey } from "../../snapshot/pods";
import { createdAt, secondsBetween } from "../../snapshot/time";
import { eventEvidence, evidenceOf } from "../finding-parts";
import { endEvidence } from "../pod/stopped";

/** A failed Job that requests GPUs, with its pods. */
interface FailedJob {
  readonly job: Job;
  readonly failed: Condition;
  readonly pods: readonly Pod[];
  /** Nodes of its pods that are not Ready. */
  readonly unreadyNodes: readonly Node[];
  readonly snapshot: ClusterSnapshot;
}

export function jobFindings(job: Job, snapshot: ClusterSnapshot): Finding[] {
  // The condition Failed follows when the last pod is gone, which a node that is down can prevent.
  const [failed] = ["Failed", "FailureTarget"].flatMap(
    (type) => job.status.conditions.find((one) => one.type === type && one.status === "True") ?? [],
  );
  if (!failed || gpuRequest(job.spec.template.spec).size === 0) return [];
  const pods = snapshot.objects.pods.filter((pod) => jobOf(pod, snapshot) === job);
  const names = new Set(nodeNamesOf(pods));
  const unreadyNodes = snapshot.gpuNodes.filter((node) => names.has(node.metadata.name) && !isNodeReady(node));
  const failedJob = { job, failed, pods, unreadyNodes, snapshot };
  const found = failed.reason === "DeadlineExceeded" ? outOfTime(failedJob) : failedPods(failedJob);
  return [hasSucceededSince(job, snapshot) ? { ...found, level: "notice" } : found];
}

/** Whether a later Job of the same CronJob has completed. */
function hasSucceededSince(job: Job, { objects }: ClusterSnapshot): boolean {
  const cronJobOf = ({ metadata }: Job) => metadata.ownerReferences.find(({ kind }) => kind === "CronJob")?.name;
  const cronJob = cronJobOf(job);
  if (cronJob === undefined) return false;
  return objects.jobs.some(
    (other) =>
      cronJobOf(other) === cronJob &&
      other.metadata.namespace === job.metadata.namespace &&
      createdAt(other) > createdAt(job) &&
      conditionOf(other.status.conditions, "Complete")?.status === "True",
  );
}

/** Pods of the Job ended with an error. Kubernetes keeps them, with their termination messages. */
function failedPods(failedJob: FailedJob): Finding {
  const { job, pods, unreadyNodes } = failedJob;
  const ends = pods.flatMap((pod) => failedContainers(pod).map((status) => ({ pod, status })));
  const reports = ends.flatMap(({ status }) => testReport(status.state.terminated?.message ?? "") ?? []);
  const verdict = unreadyNodes.length > 0 ? undefined : verdictOf(reports);
  return finding("job-failed", scopeOfJob(failedJob), {
    atMost: verdict?.atMost,
    evidence: [failureEvidence(failedJob), ...ends.slice(0, 4).map(({ pod, status }) => endEvidence(pod, status))],
    ...{ job: job.metadata.name, unready: nodeNames(unreadyNodes) },
    ...{ verdict: verdict?.what, isNetwork: verdict?.isNetwork === true },
  });
}

/**
 * The deadline of the Job passed. Kubernetes deletes the pods of such a Job, so the data often does not show whether
 * they hung or never ran. Closed ports can be the cause only if pods ran.
 */
function outOfTime(failedJob: FailedJob): Finding {
  const { job, pods, unreadyNodes } = failedJob;
  const ran = pods.some(hasRun);
  const rejection = lastRejection(failedJob);
  const atMost = ran ? "possible" : doubtOfWait(failedJob, rejection);
  return finding("job-out-of-time", scopeOfJob(failedJob), {
    atMost,
    evidence: [failureEvidence(failedJob), rejection && eventEvidence(rejection)],
    ...{ job: job.metadata.name, unready: nodeNames(unreadyNodes), ran, waited: atMost !== "possible" },
    canHang: (job.spec.parallelism ?? 1) > 1 && unreadyNodes.length === 0,
  });
}

/** How sure it is that the pods of the Job waited for nodes until its deadline. */
function doubtOfWait(failedJob: FailedJob, rejection: Event | undefined): Doubt {
  const wasWaiting = rejection !== undefined && wasWaitingAtEnd(rejection, failedJob);
  // With GPU nodes, a pod can have got one between its last rejection and the deadline.
  if (wasWaiting && !hadNodes(failedJob)) return undefined;
  return wasWaiting || failedJob.pods.length > 0 || !hadNodes(failedJob) ? "likely" : "possible";
}

/** Whether a current GPU node existed when the Job failed. */
function hadNodes({ snapshot, failed }: FailedJob): boolean {
  const end = Date.parse(failed.lastTransitionTime ?? "");
  return Number.isNaN(end) || snapshot.gpuNodes.some((node) => !(createdAt(node) >= end));
}

/** The Job with its pods, and with its unready nodes or, if all are Ready, all of its nodes. */
function scopeOfJob({ job, pods, unreadyNodes }: FailedJob): Scope {
  const { namespace = "default", name } = job.metadata;
  const nodes = unreadyNodes.length > 0 ? nodeNames(unreadyNodes) : [...new Set(nodeNamesOf(pods))];
  return { subject: `job ${namespace}/${name}`, nodes, pods: pods.map(podKey) };
}

function nodeNamesOf(pods: readonly Pod[]): string[] {
  return pods.flatMap(({ spec }) => spec.nodeName ?? []);
}

function failureEvidence({ job, failed }: FailedJob): Evidence {
  const deadline = job.spec.activeDeadlineSeconds;
  const value = `${failed.reason ?? "no reason"}: ${failed.message ?? ""}${deadline === undefined ? "" : `, activeDeadlineSeconds ${deadline}`}`;
  return evidenceOf(job, `condition ${failed.type}`, value, failed.lastTransitionTime);
}

/** The latest event that the scheduler rejected a pod of the Job, if it has not expired. */
function lastRejection({ job, snapshot }: FailedJob): Event | undefined {
  const { name, namespace } = job.metadata;
  return snapshot.objects.events
    .filter(({ reason, involvedObject: pod }) => reason === "FailedScheduling" && pod.namespace === namespace)
    .filter(({ involvedObject: pod }) => isPodName(pod.name, name))
    .toSorted(byTime)
    .at(-1);
}

/** `all-reduce-0-x7k2p` or `all-reduce-x7k2p`, but not a pod of the Job `all-reduce-large`. */
function isPodName(pod: string, job: string): boolean {
  return pod.startsWith(`${job}-`) && /^(\d+-)?[a-z0-9]+$/.test(pod.slice(job.length + 1));
}

/** Reasons of events that show that a pod has a node. */
const placedReasons = ["Scheduled", "Pulling", "Pulled", "Created", "Started"];

/** The scheduler tries a pod again, and reports it again, after at most 5 minutes. */
const maxRetrySeconds = 360;

/** Whether a pod still had no node when the deadline passed: the scheduler rejected it shortly before. */
function wasWaitingAtEnd({ involvedObject, lastTimestamp = "" }: Event, { failed, snapshot }: FailedJob): boolean {
  const wait = secondsBetween(lastTimestamp, Date.parse(failed.lastTransitionTime ?? ""));
  const wasPlaced = snapshot
    .eventsOf(involvedObject)
    .some((event) => placedReasons.includes(event.reason) && (event.lastTimestamp ?? "") >= lastTimestamp);
  return wait !== undefined && wait < maxRetrySeconds && !wasPlaced;
}
