import { allow, policyDocument, type PolicyDocument } from "../cluster/identity/policy-document";
import { endOf } from "../core/faults";
import { countOf } from "../core/text";

// What EventBridge Scheduler, IAM and SQS read of a lease: expressions, the input of the target, and policies.

/** A node group, as the API of EKS names it. */
interface LeasedNodeGroup {
  readonly clusterName: string;
  readonly nodeGroupName: string;
  readonly maxSize: number;
}

/**
 * The universal target that calls UpdateNodegroupConfig of EKS.
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html
 */
export function scaleTarget(partition: string): string {
  return `arn:${partition}:scheduler:::aws-sdk:eks:updateNodegroupConfig`;
}

/**
 * The request that ends all nodes of a group. EventBridge Scheduler reads keys in PascalCase: with the camelCase of the EKS
 * API, it reports ClusterName and NodegroupName as missing. EKS rejects a maximum of 0.
 */
export function scaleInput({ clusterName, nodeGroupName, maxSize }: LeasedNodeGroup): string {
  return JSON.stringify({
    ClusterName: clusterName,
    NodegroupName: nodeGroupName,
    ScalingConfig: { MinSize: 0, MaxSize: maxSize, DesiredSize: 0 },
  });
}

/** A time at which a lease ends nodes. */
export interface LeaseMoment {
  /** Part of the names of what runs then: each day at the time of day of `at`, or once. */
  readonly key: "nightly" | "end";
  readonly at: Date;
  readonly timeZone: string;
}

/** The times at which a lease ends nodes, or minutes later. */
export function leaseMoments(
  { nightly, timeZone, expiresAt }: Omit<LeaseTimes, "hours">,
  laterMinutes = 0,
): LeaseMoment[] {
  const later = (time: string) => new Date(Date.parse(time) + laterMinutes * 60_000);
  return [
    ...(nightly === "none" ? [] : [{ key: "nightly", at: later(`2000-01-01T${nightly}Z`), timeZone } as const]),
    ...(expiresAt === undefined ? [] : [{ key: "end", at: later(leaseEndTime(expiresAt)), timeZone: "UTC" } as const]),
  ];
}

/** The time of a moment, as EventBridge Scheduler writes it. */
export function schedulerExpression({ key, at }: Omit<LeaseMoment, "timeZone">): string {
  if (key === "end") return `at(${at.toISOString().slice(0, 19)})`;
  return `cron(${at.getUTCMinutes()} ${at.getUTCHours()} * * ? *)`;
}

/** The time of a moment, as a CronJob writes it. It has no year: the end repeats each year, when there should be no nodes. */
export function cronJobExpression({ key, at }: Omit<LeaseMoment, "timeZone">): string {
  const day = key === "end" ? `${at.getUTCDate()} ${at.getUTCMonth() + 1}` : "* *";
  return `${at.getUTCMinutes()} ${at.getUTCHours()} ${day} *`;
}

/** Each day at a time such as `22:00`. */
export function nightlyExpression(time: string): string {
  return schedulerExpression({ key: "nightly", at: new Date(`2000-01-01T${time}Z`) });
}

/** When a schedule runs: `every day at 22:00 Asia/Seoul`, `2026-12-01T18:00:00Z`, or another expression as it is. */
export function scheduleText(expression: string, timeZone: string): string {
  const [, minute, hour] = /^cron\((\d+) (\d+) \* \* \? \*\)$/.exec(expression) ?? [];
  const time = [hour, minute].map((part = "") => part.padStart(2, "0")).join(":");
  const [, once = expression] = /^at\((.*)\)$/.exec(expression) ?? [];
  if (hour !== undefined) return `every day at ${time} ${timeZone}`;
  return once !== expression && timeZone === "UTC" ? `${once}Z` : `${once} ${timeZone}`;
}

/** The end of a lease in UTC, such as `2026-12-01T18:00:00Z`. A day ends at midnight. */
export function leaseEndTime(expiresAt: string): string {
  const { ends } = endOf(expiresAt) ?? { ends: Number.NaN };
  return `${new Date(ends).toISOString().slice(0, 19)}Z`;
}

/** When the lease ends GPU nodes, as one sentence. */
export function describeLease({ nightly, timeZone, hours, expiresAt }: LeaseTimes): string {
  const times = [
    ...(nightly === "none" ? [] : [`every day at ${nightly} ${timeZone}`]),
    ...(hours === undefined ? [] : [`${countOf(hours, "hour")} after gpu up`]),
    ...(expiresAt === undefined ? [] : [`at ${leaseEndTime(expiresAt)}`]),
  ];
  return `all GPU nodes are terminated ${times.join(", and ")}`;
}

interface LeaseTimes {
  readonly nightly: string;
  readonly timeZone: string;
  readonly hours?: number | undefined;
  readonly expiresAt?: string | undefined;
}

/**
 * Only schedules of this group in this account assume the role. The ARN must be that of a group: EventBridge Scheduler does
 * not send the ARN of a schedule.
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html
 */
export function leaseTrust(accountId: string, scheduleGroupArn: string): PolicyDocument {
  return policyDocument({
    Sid: "SchedulerEndsNodes",
    Effect: "Allow",
    // The same principal in every partition.
    Principal: { Service: "scheduler.amazonaws.com" },
    Action: "sts:AssumeRole",
    Condition: { StringEquals: { "aws:SourceAccount": accountId, "aws:SourceArn": scheduleGroupArn } },
  });
}

/** What the schedules do: resize these node groups, and report what failed. */
export function leasePermissions(nodeGroupArns: readonly string[], queueArn: string): PolicyDocument {
  return policyDocument(
    allow("EndNodes", ["eks:UpdateNodegroupConfig"], nodeGroupArns),
    // EventBridge Scheduler sends to the dead-letter queue with the role of the schedule.
    allow("ReportFailures", ["sqs:SendMessage"], queueArn),
  );
}

/** The ARN of a node group without its id, which EKS appends. */
export function nodeGroupArn(
  { partition, region, accountId }: Readonly<Record<"partition" | "region" | "accountId", string>>,
  { clusterName, nodeGroupName }: Omit<LeasedNodeGroup, "maxSize">,
): string {
  return `arn:${partition}:eks:${region}:${accountId}:nodegroup/${clusterName}/${nodeGroupName}/*`;
}
