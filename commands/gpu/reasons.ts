import { shellText } from "../../components/core/text";
import { launchCauses } from "../../triage/conclusions/scale-ups";
import { nextSteps, type NextStep } from "../../triage/conclusions/entry";
import { nodeLabel } from "./nodes";
import { awsOptions, groupText, type Activity, type Group } from "./group";

/** Why nodes are missing. */
export interface Reason {
  /** Of {@link launchCauses}; `unknown` if the text of AWS is not one that this project knows. */
  readonly id: (typeof launchCauses)[number]["id"] | "unknown";
  readonly what: string;
  /** What AWS reports, in its own words. */
  readonly evidence: string;
  readonly at?: string;
  readonly next: readonly NextStep[];
  /** Whether it ends on its own, so that waiting helps. */
  readonly passes: boolean;
  /** Whether AWS reported it before the command began. */
  readonly isOlder: boolean;
}

/** The launches that failed since the last one that succeeded, the latest first. */
export function failedLaunches(activities: readonly Activity[]): readonly Activity[] {
  const launches = activities.filter(({ description }) => !/^Terminating/.test(description));
  const success = launches.findIndex(({ status }) => status === "Successful");
  const since = success < 0 ? launches : launches.slice(0, success);
  return since.filter(({ status }) => status === "Failed" || status === "Cancelled");
}

/**
 * Why nodes are missing, each cause once: the failed launches first, then what EKS reports as wrong, and last what is
 * older than the command.
 *
 * @param older what AWS reported before the command began: the ids of activities, and health issues as evidence
 */
export function reasonsOf(
  group: Group,
  activities: readonly Activity[],
  older: ReadonlySet<string> = new Set(),
): readonly Reason[] {
  const launches = failedLaunches(activities).map(({ id, message, description, at }) => ({
    ...reasonOf(message === "" ? description : message, group, at),
    isOlder: older.has(id),
  }));
  const health = group.issues.map(healthText).map((text) => ({ ...reasonOf(text, group), isOlder: older.has(text) }));
  const found = [...launches, ...health].sort((one, other) => Number(one.isOlder) - Number(other.isOlder));
  const isKnown = found.some(({ id }) => id !== "unknown");
  // EKS repeats the text of a failed launch in the health of the group.
  const isRepeat = ({ id, evidence }: Reason) =>
    id === "unknown" && isKnown && /^AsgInstanceLaunchFailures/.test(evidence);
  const isSame = (one: Reason, other: Reason) =>
    one.id === other.id && (one.id !== "unknown" || one.evidence === other.evidence);
  return found.filter((one, index) => !isRepeat(one) && found.findIndex((other) => isSame(one, other)) === index);
}

/** A health issue as the evidence of a reason. */
export function healthText({ code, message }: Group["issues"][number]): string {
  return `${code}: ${message}`;
}

function reasonOf(text: string, group: Group, at?: string): Omit<Reason, "isOlder"> {
  const cause = launchCauses.find(({ pattern }) => pattern.test(text));
  // The commands of the AWS CLI read the region of the session, not the default one.
  const inRegion = (command: string) => command.replace(/^(aws [\w-]+ [\w-]+)/, `$1 ${awsOptions(group)}`);
  const own = nextSteps(cause?.next ?? []).map(({ why, command }) => ({ why, command: inRegion(command) }));
  return {
    id: cause?.id ?? "unknown",
    what: cause?.what ?? `AWS reports a problem with ${groupText(group)}.`,
    evidence: text,
    at,
    next: own.length > 0 ? own : [showGroup(group)],
    passes: cause?.passes === true,
  };
}

/** Shows what EKS knows about a group, or Karpenter about the nodes of a NodePool. */
export function showGroup(at: Group): NextStep {
  if (at.isPool)
    return { why: "Show what Karpenter reports", command: `kubectl describe nodeclaims -l ${nodeLabel(at)}` };
  return {
    why: "Show the launch template, the subnets and the health of the group",
    command: `aws eks describe-nodegroup ${awsOptions(at)} ${shellText(["--cluster-name", at.cluster, "--nodegroup-name", at.group])} --query 'nodegroup.[status,launchTemplate,subnets,health]'`,
  };
}
