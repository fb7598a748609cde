import type { Entries, Step, StepList } from "./entry";
import { listNames } from "../texts";

/** A failed Job of GPU pods. */
interface FailedJob {
  readonly job: string;
  /** Nodes of its pods that are not Ready. */
  readonly unready: readonly string[];
  readonly pods: readonly string[];
}

/** A Job that exceeded its deadline. */
interface LateJob extends FailedJob {
  readonly ran: boolean;
  /** Whether they waited until the deadline. */
  readonly waited: boolean;
  /** Whether closed ports can make them hang. */
  readonly canHang: boolean;
}

export const jobs = {
  "job-failed": {
    meaning: "a GPU Job failed; the reports of its pods show whether closed ports are the cause",
    what: ({ verdict, ...failed }: FailedJob & { verdict: string | undefined }) =>
      `Job ${failed.job} failed. ${verdict ?? causeText(failed)}`,
    next: ({ pods, isNetwork }: FailedJob & { isNetwork: boolean }): StepList => [
      ...(pods.length > 0 ? [showLogs] : [showJob, recreate]),
      ...(isNetwork ? checkPorts : []),
    ],
  },
  "job-out-of-time": {
    meaning: "a GPU Job exceeded its deadline",
    what: (late: LateJob) => `Job ${late.job} exceeded its deadline ${deadlineText(late)}`,
    next: ({ ran, waited, canHang }: LateJob): StepList => [
      ...(ran ? [showLogs] : [showEvents, recreate]),
      ...(canHang && !waited ? checkPorts : []),
    ],
  },
} satisfies Entries;

function causeText({ unready, pods }: FailedJob): string {
  if (unready.length > 0) return `Pods of the Job ran on nodes that are not Ready: ${listNames(unready)}.`;
  return pods.length > 0
    ? "The evidence shows how its pods ended; their logs show why."
    : "Its pods no longer exist, so the reason is not known.";
}

const hang =
  "Closed ports between the pods can make a collective operation hang. Nodes, API and DNS do not use these ports.";

function deadlineText(late: LateJob): string {
  const { ran, waited, canHang } = late;
  if (ran) return `after its pods started. ${canHang ? hang : causeText(late)}`;
  if (waited) {
    return "before all of its pods ran: they waited for nodes or images. The network between the pods is not the cause. Pods that wait for a node count against the deadline of a Job.";
  }
  const ifTheyRan = canHang ? ` If they ran, the network may be the cause. ${hang}` : "";
  return `and its pods no longer exist, so it is not known whether they ran. They may have waited for nodes.${ifTheyRan}`;
}

const showLogs: Step =
  "Show where the pods stopped => kubectl -n {namespace} logs -l batch.kubernetes.io/job-name={name} --all-containers --prefix --tail=30";
const showJob: Step =
  "Show how many pods and which indexes failed, and the events of the Job => kubectl -n {namespace} describe job {name}";
const showEvents: Step =
  "Check whether the pods waited or ran: FailedScheduling, Pulling, Started => kubectl -n {namespace} get events --field-selector involvedObject.kind=Pod --sort-by=.lastTimestamp";
const recreate: Step =
  "When the nodes are up, delete the Job and create it again (in a lab: pulumi up --refresh) =!> kubectl -n {namespace} delete job {name}";
const checkPorts: StepList = [
  "In a lab, check whether a fault is on or the NCCL ports are closed => pulumi config",
  'Show the rules for traffic between the nodes => aws ec2 describe-security-group-rules --filters "Name=group-id,Values=$(pulumi stack output nodeSecurityGroupId),$(pulumi stack output auxiliaryNodeSgId)"',
  "Check whether a network policy separates the pods => kubectl get networkpolicies -A",
];
