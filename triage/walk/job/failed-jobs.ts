import { testReport, verdictOf } from "../../classify/test-report";
import type { Evidence, Finding, NextStep } from "../../finding";
import type { Condition } from "../../objects/common";
import type { Node } from "../../objects/node";
import type { Pod } from "../../objects/pod";
import type { Job } from "../../objects/workloads";
import { aboutCluster, podKey } from "../about";
import { jobOf } from "../owners";
import { badEnds, gpuRequest, hasRun, kubectlName } from "../pods";
import { endEvidence } from "../pod/stopped";
import { conditionOf, isReady, type Scene } from "../scene";
import { some } from "../seen";

/** A Job that asks for GPUs and has failed, with what its pods left behind. */
interface FailedJob {
  readonly job: Job;
  readonly failed: Condition;
  readonly pods: readonly Pod[];
  /** Nodes of its pods that are not Ready. */
  readonly unwell: readonly Node[];
  readonly scene: Scene;
}

export function jobFindings(job: Job, scene: Scene): Finding[] {
  const failed = conditionOf(job.status.conditions, "Failed");
  if (failed?.status !== "True" || gpuRequest(job.spec.template.spec).size === 0) return [];
  const pods = scene.dump.objects.pods.filter((pod) => jobOf(pod, scene) === job);
  const own = new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []));
  const unwell = scene.gpuNodes.filter((node) => own.has(node.metadata.name) && !isReady(node));
  const found = { job, failed, pods, unwell, scene };
  const finding = failed.reason === "DeadlineExceeded" ? outOfTime(found) : gaveUp(found);
  return [isPast(job, scene) ? { ...finding, level: "notice" } : finding];
}

/** Whether a later Job of the same CronJob has done what this one failed at. */
function isPast(job: Job, { dump }: Scene): boolean {
  const owner = ({ metadata }: Job) => metadata.ownerReferences.find(({ kind }) => kind === "CronJob")?.name;
  const born = ({ metadata }: Job) => Date.parse(metadata.creationTimestamp ?? "");
  return dump.objects.jobs.some(
    (other) =>
      owner(job) !== undefined &&
      owner(other) === owner(job) &&
      other.metadata.namespace === job.metadata.namespace &&
      born(other) > born(job) &&
      conditionOf(other.status.conditions, "Complete")?.status === "True",
  );
}

/** Its pods ended with an error; Kubernetes keeps them, and with them what they reported. */
function gaveUp(found: FailedJob): Finding {
  const { job, pods, unwell } = found;
  const ends = pods.flatMap((pod) => badEnds(pod).map((status) => ({ pod, status })));
  const reports = ends.flatMap(({ status }) => testReport(status.state.terminated?.message ?? "") ?? []);
  const verdict = unwell.length > 0 ? undefined : verdictOf(reports);
  return {
    id: "job-failed",
    ...about(found),
    level: "problem",
    sure: verdict?.sure ?? "certain",
    what: `Job ${job.metadata.name} has failed. ${verdict?.what ?? outlook(found)}`,
    evidence: [condition(found), ...ends.slice(0, 4).map(({ pod, status }) => endEvidence(pod, status))],
    next: [logs(job), ...(verdict?.network === true ? ports : [])],
  };
}

function outlook({ unwell, pods }: FailedJob): string {
  if (unwell.length > 0) return `${some(unwell.map(({ metadata }) => metadata.name))}, where it ran, is not Ready.`;
  return pods.length > 0
    ? "What its pods ended with stands below; why, in their logs."
    : "Its pods are gone, and with them what they ended with.";
}

/**
 * Its deadline passed. Kubernetes deletes the pods of such a Job, so whether they hung or never ran is often not to be
 * seen any more; only of pods that ran can their ports be to blame.
 */
function outOfTime(found: FailedJob): Finding {
  const { job, pods, unwell } = found;
  const ran = pods.some(hasRun);
  const waited = !ran && (pods.length > 0 || !hadNodes(found));
  const several = (job.spec.parallelism ?? 1) > 1 && unwell.length === 0;
  const start = `Job ${job.metadata.name} ran into its deadline`;
  const text = ran
    ? `${start}, and its pods had run. ${several ? hang : outlook(found)}`
    : waited
      ? `${start} before its pods ran: they waited for nodes or images. The way between them is not to blame.`
      : `${start}. Its pods are gone, so whether they ran is not to be seen: they may have waited for nodes. ${several ? `If they ran: ${hang}` : ""}`;
  return {
    id: "job-out-of-time",
    ...about(found),
    level: "problem",
    sure: waited ? "likely" : "possible",
    what: text.trim(),
    evidence: [condition(found), ...refusals(found)],
    next: [...(ran ? [logs(job)] : [events(job), again(job)]), ...(several && !waited ? ports : [])],
  };
}

const hang =
  "A collective that hangs often means that the pods cannot reach each other's ports, which nodes, API and DNS do not need.";

/** Whether any GPU node of today was there when the Job gave up. */
function hadNodes({ scene, failed }: FailedJob): boolean {
  const end = Date.parse(failed.lastTransitionTime ?? "");
  return (
    Number.isNaN(end) || scene.gpuNodes.some(({ metadata }) => !(Date.parse(metadata.creationTimestamp ?? "") >= end))
  );
}

/** About the nodes that could have brought it down, where there are such; else about all it ran on. */
function about({ job, pods, unwell }: FailedJob) {
  const { namespace = "default", name } = job.metadata;
  const nodes = [...new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []))];
  const subject = `job ${namespace}/${name}`;
  return { ...aboutCluster(subject, unwell), ...(unwell.length === 0 && { nodes }), pods: pods.map(podKey) };
}

function condition({ job, failed }: FailedJob): Evidence {
  const deadline = job.spec.activeDeadlineSeconds;
  return {
    object: kubectlName("job", job.metadata),
    field: "condition Failed",
    value: `${failed.reason ?? "no reason"}: ${failed.message ?? ""}${deadline === undefined ? "" : `, activeDeadlineSeconds ${deadline}`}`,
    ...(failed.lastTransitionTime !== undefined && { at: failed.lastTransitionTime }),
  };
}

/** That the scheduler refused one of its pods, where the event is still there. */
function refusals({ job, scene }: FailedJob): Evidence[] {
  const { name, namespace } = job.metadata;
  return scene.dump.objects.events
    .filter(({ reason, involvedObject: about }) => reason === "FailedScheduling" && about.namespace === namespace)
    .filter(({ involvedObject }) => involvedObject.name.startsWith(`${name}-`))
    .slice(-1)
    .map(({ involvedObject, message, lastTimestamp }) => ({
      object: kubectlName("pod", involvedObject),
      field: "event FailedScheduling",
      value: message,
      ...(lastTimestamp !== undefined && { at: lastTimestamp }),
    }));
}

function logs({ metadata: { name, namespace = "default" } }: Job): NextStep {
  return {
    why: "Where it stopped",
    command: `kubectl -n ${namespace} logs -l batch.kubernetes.io/job-name=${name} --all-containers --prefix --tail=30`,
  };
}

function events({ metadata: { namespace = "default" } }: Job): NextStep {
  return {
    why: "Whether its pods waited or ran: FailedScheduling, Pulling, Started",
    command: `kubectl -n ${namespace} get events --field-selector involvedObject.kind=Pod --sort-by=.lastTimestamp`,
  };
}

function again({ metadata: { name, namespace = "default" } }: Job): NextStep {
  return {
    why: "With its nodes there: take it away, and make it anew (in a lab: pulumi up --refresh)",
    command: `kubectl -n ${namespace} delete job ${name}`,
    changes: true,
  };
}

const ports: readonly NextStep[] = [
  { why: "In a lab: whether a fault is on, or the nodes' own ports are closed", command: "pulumi config" },
  {
    why: "Which rules let the nodes reach each other",
    command:
      'aws ec2 describe-security-group-rules --filters "Name=group-id,Values=$(pulumi stack output nodeSecurityGroupId),$(pulumi stack output auxiliaryNodeSgId)"',
  },
  { why: "Whether a network policy stands between them", command: "kubectl get networkpolicies -A" },
];
