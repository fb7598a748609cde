import * as iam from "@pulumi/aws/iam";
import * as scheduler from "@pulumi/aws/scheduler";
import type * as sqs from "@pulumi/aws/sqs";
import * as pulumi from "@pulumi/pulumi";
import { accountIdOf, partitionOf, regionOf } from "../core/lookups";
import { transformed } from "../core/transform";
import {
  endExpression,
  leasePermissions,
  leaseTrust,
  nightlyExpression,
  nodeGroupArn,
  scaleInput,
  scaleTarget,
} from "./lease-documents";
import type { LeaseParts } from "./lease-parts";

/**
 * EKS rejects a request while another update of the group runs. Later than four hours after 22:00, a request could end the
 * session of the next morning.
 */
const retryPolicy = { maximumEventAgeInSeconds: 4 * 60 * 60, maximumRetryAttempts: 185 };

/** A time at which the lease ends nodes. */
interface Moment {
  /** Part of the names of its schedules. */
  readonly key: "nightly" | "end";
  readonly description: string;
  readonly scheduleExpression: string;
  readonly scheduleExpressionTimezone: string;
}

/** Creates the schedules: one for each node group and time, all in one group, with one role. */
export function makeSchedules(parent: pulumi.Resource, parts: LeaseParts, queue: sqs.Queue) {
  const { name, settings, transform, namePrefix, tags, options } = parts;
  const groupArgs = { namePrefix, tags };
  const group = new scheduler.ScheduleGroup(
    ...transformed(transform.scheduleGroup, `${name}-schedules`, groupArgs, options),
  );
  const { role, policy } = makeRole(parent, parts, group, queue);
  const { partition } = partitionOf(parent);
  const target = {
    arn: partition.apply(scaleTarget),
    roleArn: role.arn,
    deadLetterConfig: { arn: queue.arn },
    retryPolicy,
  };
  for (const moment of momentsOf(settings)) {
    for (const [key, { nodeGroupName, maxSize }] of Object.entries(settings.nodeGroups)) {
      const names = pulumi.all([settings.clusterName, nodeGroupName]);
      const input = names.apply(([clusterName, groupName]) =>
        scaleInput({ clusterName, nodeGroupName: groupName, maxSize }),
      );
      const { key: when, ...times } = moment;
      const args: scheduler.ScheduleArgs = {
        ...times,
        // The group is unique in the account, so the name need not be.
        name: `${when}-${key}`,
        groupName: group.name,
        flexibleTimeWindow: { mode: "OFF" },
        // Deleted, it would be created again by the next update, at a time in the past, which is rejected.
        actionAfterCompletion: "NONE",
        target: { ...target, input },
      };
      const after = pulumi.mergeOptions(options, { dependsOn: policy });
      new scheduler.Schedule(...transformed(transform.schedule, `${name}-${when}-${key}`, args, after));
    }
  }
  return { group, role };
}

function momentsOf({ nightly, timeZone, expiresAt }: LeaseParts["settings"]): Moment[] {
  const daily: Moment = {
    key: "nightly",
    description: "Ends the GPU nodes of a forgotten session",
    scheduleExpression: nightlyExpression(nightly),
    scheduleExpressionTimezone: timeZone,
  };
  const end = (time: string): Moment => ({
    key: "end",
    description: "Ends the GPU nodes when the lease ends",
    scheduleExpression: endExpression(time),
    scheduleExpressionTimezone: "UTC",
  });
  return [...(nightly === "none" ? [] : [daily]), ...(expiresAt === undefined ? [] : [end(expiresAt)])];
}

/** The role of the schedules. It can resize the given node groups and send to the queue, and nothing else. */
function makeRole(
  parent: pulumi.Resource,
  { name, settings, transform, namePrefix, tags, options }: LeaseParts,
  group: scheduler.ScheduleGroup,
  queue: sqs.Queue,
): { role: iam.Role; policy: iam.RolePolicy } {
  const accountId = accountIdOf(parent);
  const trust = pulumi.all([accountId, group.arn]).apply((ids) => JSON.stringify(leaseTrust(...ids)));
  const description = "Ends the GPU nodes of a lab";
  const roleArgs = { namePrefix, description, assumeRolePolicy: trust, forceDetachPolicies: true, tags };
  const role = new iam.Role(...transformed(transform.role, `${name}-role`, roleArgs, options));
  const { clusterName } = settings;
  const names = pulumi.all(Object.values(settings.nodeGroups).map(({ nodeGroupName }) => nodeGroupName));
  const place = pulumi.all([partitionOf(parent).partition, regionOf(parent), accountId]);
  const policy = pulumi.all([place, clusterName, names, queue.arn]).apply(([ids, cluster, groupNames, queueArn]) => {
    const [partition, region, account] = ids;
    const arns = groupNames.map((nodeGroupName) =>
      nodeGroupArn({ partition, region, accountId: account }, { clusterName: cluster, nodeGroupName }),
    );
    return JSON.stringify(leasePermissions(arns, queueArn));
  });
  const policyArgs = { role: role.name, policy };
  const rolePolicy = new iam.RolePolicy(...transformed(transform.rolePolicy, `${name}-policy`, policyArgs, options));
  return { role, policy: rolePolicy };
}
