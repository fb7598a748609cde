import * as budgets from "@pulumi/aws/budgets";
import * as pulumi from "@pulumi/pulumi";
import { partitionOf, regionOf } from "../core/lookups";
import { childOptions } from "../core/options";
import { resolveArgs, type ValueOf } from "../core/schema";
import { token } from "../core/tokens";
import { transformed } from "../core/transform";
import { iamNamePrefix } from "../cluster/identity/policy-document";
import { labLease, type LabLeaseArgs, type LabLeaseTransform } from "./lab-lease-schema";
import { describeLease } from "./lease-documents";
import { makeFailureAlarm, makeFailureQueue, restrictQueue } from "./lease-failures";
import type { LeaseParts } from "./lease-parts";
import { makeNodeGroupSchedules } from "./lease-schedules";
import { leaseTags } from "./lease-tags";

/** Commands that show a lease. */
export interface LabLeaseCommands {
  /** Lists the schedules with their state. */
  readonly schedules: pulumi.Output<string>;
  /** Prints why a schedule could not terminate the nodes: the messages of the dead-letter queue. */
  readonly failures: pulumi.Output<string>;
}

/**
 * Ends the GPU nodes of forgotten sessions: each day at a time, and at the end of the lease, EventBridge Scheduler sets the
 * desired and the minimum size of every given node group to 0. No program has to run for that, and no machine of yours.
 *
 * Pods on the nodes get their termination grace period. The node groups stay, and a new session scales them up again. A
 * minimum size above 0 is restored by the next `pulumi up --refresh`, not before. The Cluster Autoscaler starts nodes again
 * for pods that wait: delete these pods, or their owners, too.
 *
 * While another update of a node group runs, EKS rejects the request; EventBridge Scheduler then repeats it for up to four
 * hours. A request that fails for good goes to a dead-letter queue, which keeps it for 18 hours, and an alarm reports it: again
 * each night that fails.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html
 * @cost 0.10 USD a month for the alarm. The schedules and the queue stay far below the free tiers of EventBridge Scheduler
 * (14 million calls a month) and SQS (1 million requests a month).
 * @throws InputError with every problem of the arguments, before any resource is created
 */
export class LabLease extends pulumi.ComponentResource {
  readonly scheduleGroupName: pulumi.Output<string>;
  /** The role with which the schedules call EKS. */
  readonly roleArn: pulumi.Output<string>;
  /** Requests that failed permanently. */
  readonly deadLetterQueueUrl: pulumi.Output<string>;
  readonly alarmName: pulumi.Output<string>;
  /** When GPU nodes are terminated, as one sentence. */
  readonly description: string;
  /** The argument `hours`. */
  readonly sessionHours: number | undefined;
  readonly commands: LabLeaseCommands;

  constructor(name: string, args: LabLeaseArgs, opts?: pulumi.ComponentResourceOptions) {
    const { transform = {}, ...settings } = resolveArgs(`LabLease "${name}"`, labLease, args);
    super(token("LabLease"), name, settings, opts);
    const cluster = pulumi.output(settings.clusterName);
    const lab = settings.lab ?? cluster;
    const parts: LeaseParts = {
      ...{ name, settings, transform },
      namePrefix: cluster.apply((text) => iamNamePrefix(text, "lease")),
      tags: { Name: pulumi.interpolate`${cluster}-lease`, lab, ...leaseTags(settings), ...settings.tags },
      options: childOptions(this, opts),
    };

    const queue = makeFailureQueue(parts);
    restrictQueue(parts, queue);
    const alarm = makeFailureAlarm(this, parts, queue, alarmText);
    const { group, role } = makeNodeGroupSchedules(this, parts, queue, settings);
    makeBudget(this, parts, transform.budget, settings.budget, lab);

    const region = regionOf(this);
    this.scheduleGroupName = group.name;
    this.roleArn = role.arn;
    this.deadLetterQueueUrl = queue.url;
    this.alarmName = alarm.name;
    this.description = describeLease(settings);
    this.sessionHours = settings.hours;
    this.commands = {
      schedules: pulumi.interpolate`aws scheduler list-schedules --region ${region} --group-name ${group.name} --query 'Schedules[].[Name,State]' --output table`,
      failures: pulumi.interpolate`aws sqs receive-message --region ${region} --queue-url ${queue.url} --message-attribute-names All --max-number-of-messages 10`,
    };
    const { scheduleGroupName, roleArn, deadLetterQueueUrl, alarmName, description, commands } = this;
    this.registerOutputs({ scheduleGroupName, roleArn, deadLetterQueueUrl, alarmName, description, commands });
  }
}

const alarmText =
  "A schedule could not terminate the GPU nodes of a lab: they may still run. The dead-letter queue contains the reason.";

/** Who gets an email at which share of the budget. */
const notifications = [
  { notificationType: "ACTUAL", threshold: 80 },
  { notificationType: "FORECASTED", threshold: 100 },
] as const;

/** @see https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html for the form of the filter */
function makeBudget(
  parent: pulumi.Resource,
  { name, namePrefix, tags, options }: LeaseParts,
  transform: LabLeaseTransform["budget"],
  budget: ValueOf<typeof labLease>["budget"],
  lab: pulumi.Input<string>,
): void {
  if (!budget) return;
  const args: budgets.BudgetArgs = {
    namePrefix,
    budgetType: "COST",
    timeUnit: "MONTHLY",
    limitAmount: String(budget.amountPerMonth),
    limitUnit: partitionOf(parent).partition.apply((partition) => (partition === "aws-cn" ? "CNY" : "USD")),
    costFilters: [{ name: "TagKeyValue", values: [pulumi.interpolate`user:lab$${lab}`] }],
    notifications: notifications.map((notification) => ({
      ...notification,
      comparisonOperator: "GREATER_THAN",
      thresholdType: "PERCENTAGE",
      subscriberEmailAddresses: [...budget.emails],
    })),
    tags,
  };
  new budgets.Budget(...transformed(transform, `${name}-budget`, args, options));
}
