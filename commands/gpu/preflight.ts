import type { CheckResult } from "../../aws/account/check-result";
import type { Problem } from "../../components/core/problems";
import { shellText } from "../../components/core/text";
import { awsOptions, type Group } from "./group";
import { healthText, showGroup } from "./reasons";

/** What is known before nodes are requested. A problem means that they cannot start. */
export interface SessionPreflight {
  readonly checks: readonly CheckResult[];
  /** What limits the checks. */
  readonly notes: readonly string[];
}

/** How many nodes a session wants in total, and how many run. */
interface WantedNodes {
  readonly nodes: number;
  readonly running: number;
}

/** Checks whether the account can start the nodes of a group. What it cannot read is `unread`: it throws no AwsError. */
export type Preflight = (group: Group, wanted: WantedNodes) => Promise<SessionPreflight>;

/** What stands in the way of the nodes. */
export function preflightProblems({ checks }: SessionPreflight): Problem[] {
  return checks.flatMap(({ problems }) => problems);
}

/** What is worth knowing although nodes are requested: warnings, and what was not checked. */
export function preflightTexts({ checks, notes }: SessionPreflight): string[] {
  const unread = checks.filter(({ status }) => status === "unread");
  const unreadTexts = unread.map(({ title, reason = "" }) => `Not checked: ${title}. ${reason}`);
  return [...checks.flatMap(({ warnings }) => warnings), ...unreadTexts, ...notes];
}

/** Why EKS changes no size of a group in its state, for `up` and `down`. An update is waited for. */
export function statusProblems(at: Group): Problem[] {
  const { status } = at;
  if (["ACTIVE", "UPDATING", "DEGRADED"].includes(status)) return [];
  const fixes: Readonly<Record<string, string>> = {
    DELETING: "wait until EKS has deleted the group and its nodes",
    CREATE_FAILED: replacement(at),
    DELETE_FAILED: removal(at),
  };
  const why = "EKS does not change the size of a group with this status.";
  return [{ code: "not-allowed", path: "status", got: status, why, fix: fixes[status] ?? "wait until it is ACTIVE" }];
}

function removal(at: Group): string {
  const named = shellText(["--cluster-name", at.cluster, "--nodegroup-name", at.group]);
  return `delete the group, which also terminates its nodes: aws eks delete-nodegroup ${awsOptions(at)} ${named}`;
}

/** Another group in the place of one that no update repairs: the engine takes it for unchanged. */
function replacement(at: Group): string {
  if (at.stack === undefined) return removal(at);
  const of = ` ${shellText(["--stack", at.stack])}`;
  const urn = `--target-replace URN, with its URN of pulumi stack${of} --show-urns`;
  return `to replace the group, pulumi up${of} ${urn}, then pulumi up${of}`;
}

/**
 * Health issues that no waiting ends: a part of the group is gone. Others can be from before, such as launch failures.
 *
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html
 */
const isGone =
  /^(?!Ec2LaunchTemplateVersionMismatch)(?:\w+NotFound|Ec2InstanceTypeDoesNotExist|Ec2LaunchTemplateInvalidConfiguration|AutoScalingGroupOptInRequired)$/;

/** Whether the group itself can start nodes. */
export function healthCheck(group: Group): CheckResult {
  const gone = group.issues.filter(({ code }) => isGone.test(code));
  const others = group.issues.filter((issue) => !gone.includes(issue));
  const fix = `remove the cause that ${showGroup(group).command} shows; or ${replacement(group)}`;
  const path = "health of the node group";
  const problems = gone.map(({ code: got, message: why }) => ({ code: "not-allowed", path, got, why, fix }) as const);
  const warnings = [
    ...others.map((issue) => `EKS reports for the node group, possibly from earlier: ${healthText(issue)}`),
    ...(group.status === "UPDATING"
      ? ["EKS is updating the node group. It accepts the request after the update."]
      : []),
  ];
  const status = problems.length > 0 ? "problem" : warnings.length > 0 ? "warning" : "ok";
  return { id: "group", title: "health of the node group", status, problems, warnings };
}
