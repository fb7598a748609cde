import * as iam from "@pulumi/aws/iam";
import * as scheduler from "@pulumi/aws/scheduler";
import type * as sqs from "@pulumi/aws/sqs";
import * as pulumi from "@pulumi/pulumi";
import { accountIdOf, partitionOf, regionOf } from "../core/lookups";
import { transformed } from "../core/transform";
import type { PolicyDocument } from "../cluster/identity/policy-document";
import type { ValueOf } from "../core/schema";
import type { labLease } from "./lab-lease-schema";
import {
  leaseMoments,
  leasePermissions,
  leaseTrust,
  nodeGroupArn,
  scaleInput,
  scaleTarget,
  schedulerExpression,
} from "./lease-documents";
import type { LeaseParts } from "./lease-parts";

/**
 * EKS rejects a request while another update of the group runs. Later than four hours after 22:00, a request could end the
 * session of the next morning.
 */
const retryPolicy = { maximumEventAgeInSeconds: 4 * 60 * 60, maximumRetryAttempts: 185 };

/** What the schedules of a lease have in common. */
export interface Scheduled {
  readonly group: scheduler.ScheduleGroup;
  readonly role: iam.Role;
  readonly queue: sqs.Queue;
}

/** What schedules request. */
interface Request {
  /** The ARN of the universal target in a partition. */
  readonly target: (partition: string) => string;
  /** What it sends, by the last part of the name of its schedules. */
  readonly inputs: Readonly<Record<string, pulumi.Input<string>>>;
  /** Minutes after the moments of the lease. @default 0 */
  readonly laterMinutes?: number;
}

/** The group of the schedules, and the role with which they request something. */
export function makeScheduled(
  parent: pulumi.Resource,
  { name, transform, namePrefix, tags, options }: LeaseParts,
  queue: sqs.Queue,
  trust = leaseTrust,
): Scheduled {
  const groupArgs = { namePrefix, tags };
  const group = new scheduler.ScheduleGroup(
    ...transformed(transform.scheduleGroup, `${name}-schedules`, groupArgs, options),
  );
  const trusted = pulumi.all([accountIdOf(parent), group.arn]).apply((ids) => JSON.stringify(trust(...ids)));
  const description = "Ends the GPU nodes of a lab";
  const roleArgs = { namePrefix, description, assumeRolePolicy: trusted, forceDetachPolicies: true, tags };
  const role = new iam.Role(...transformed(transform.role, `${name}-role`, roleArgs, options));
  return { group, role, queue };
}

/** Creates the schedules: one for each input and time, all in one group, with one role that has these permissions. */
export function makeSchedules(
  parent: pulumi.Resource,
  { name, settings, transform, options }: LeaseParts,
  { group, role, queue }: Scheduled,
  { target: targetIn, inputs, laterMinutes }: Request,
  permissions: pulumi.Output<PolicyDocument>,
): void {
  const policyArgs = { role: role.name, policy: permissions.apply((document) => JSON.stringify(document)) };
  const policy = new iam.RolePolicy(...transformed(transform.rolePolicy, `${name}-policy`, policyArgs, options));
  const after = pulumi.mergeOptions(options, { dependsOn: policy });
  const arn = partitionOf(parent).partition.apply(targetIn);
  const target = { arn, roleArn: role.arn, deadLetterConfig: { arn: queue.arn }, retryPolicy };
  for (const moment of leaseMoments(settings, laterMinutes)) {
    for (const [key, input] of Object.entries(inputs)) {
      const args: scheduler.ScheduleArgs = {
        description: descriptions[moment.key],
        scheduleExpression: schedulerExpression(moment),
        scheduleExpressionTimezone: moment.timeZone,
        // The group is unique in the account, so the name need not be.
        name: `${moment.key}-${key}`,
        groupName: group.name,
        flexibleTimeWindow: { mode: "OFF" },
        // Deleted, it would be created again by the next update, at a time in the past, which is rejected.
        actionAfterCompletion: "NONE",
        target: { ...target, input },
      };
      new scheduler.Schedule(...transformed(transform.schedule, `${name}-${moment.key}-${key}`, args, after));
    }
  }
}

const descriptions = {
  nightly: "Ends the GPU nodes of a forgotten session",
  end: "Ends the GPU nodes when the lease ends",
};

/** The schedules that resize node groups. Their role can resize these groups and send to the queue, and nothing else. */
export function makeNodeGroupSchedules(
  parent: pulumi.Resource,
  parts: LeaseParts,
  queue: sqs.Queue,
  { clusterName, nodeGroups }: Pick<ValueOf<typeof labLease>, "clusterName" | "nodeGroups">,
): Scheduled {
  const scheduled = makeScheduled(parent, parts, queue);
  const inputs = Object.entries(nodeGroups).map(([key, { nodeGroupName, maxSize }]) => {
    const names = pulumi.all([clusterName, nodeGroupName]);
    return [
      key,
      names.apply(([cluster, group]) => scaleInput({ clusterName: cluster, nodeGroupName: group, maxSize })),
    ];
  });
  const names = pulumi.all(Object.values(nodeGroups).map(({ nodeGroupName }) => nodeGroupName));
  const place = pulumi.all([partitionOf(parent).partition, regionOf(parent), accountIdOf(parent)]);
  const permissions = pulumi
    .all([place, clusterName, names, queue.arn])
    .apply(([ids, cluster, groupNames, queueArn]) => {
      const [partition, region, accountId] = ids;
      const arns = groupNames.map((nodeGroupName) =>
        nodeGroupArn({ partition, region, accountId }, { clusterName: cluster, nodeGroupName }),
      );
      return leasePermissions(arns, queueArn);
    });
  const request = { target: scaleTarget, inputs: Object.fromEntries(inputs) as Request["inputs"] };
  makeSchedules(parent, parts, scheduled, request, permissions);
  return scheduled;
}
