import { describe, expect, test } from "vitest";
import { inDays } from "../../../components/core/faults";
import { LabLease } from "../../../components/lease/lab-lease";
import type { Recording } from "../../../planner/record/record";
import { missingModels, modelProblems, type AwsRequest } from "../../support/aws-models";
import { ofType, plan } from "../../support/plan";
import { cloudWithLease } from "./lease-cloud";

const missing = missingModels();
if (missing !== undefined) process.stderr.write(`skipped, requests of a lease by the models of AWS: ${missing}\n`);

type Inputs = Readonly<Record<string, unknown>>;

/** The provider completes a prefix with 26 digits. */
const nameOf = ({ name, namePrefix }: Inputs) => name ?? `${String(namePrefix)}${"0".repeat(26)}`;
const tagList = (tags: unknown) =>
  Object.entries(tags as object).map(([Key, Value]) => ({ Key, Value: Value as string }));

/** The arguments of a resource as the API spells them: keys begin with a capital letter. */
function pascal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pascal);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.charAt(0).toUpperCase() + key.slice(1), pascal(inner)]),
  );
}

/** The requests with which the provider creates the resources of a lease, and which the schedules send to EKS. */
function requestsOf(recording: Recording): AwsRequest[] {
  const request = (type: string, service: string, operation: string, paramsOf: (inputs: Inputs) => unknown) =>
    ofType(recording, type).map(({ inputs }): AwsRequest => {
      return { service, operation, params: paramsOf(inputs) as object };
    });
  const schedule = "aws:scheduler/schedule:Schedule";
  return [
    ...request(schedule, "scheduler", "CreateSchedule", pascal),
    ...request(schedule, "eks", "UpdateNodegroupConfig", ({ target }) =>
      JSON.parse((target as { input: string }).input),
    ).map((each) => ({ ...each, isPascalCase: true })),
    ...request("aws:scheduler/scheduleGroup:ScheduleGroup", "scheduler", "CreateScheduleGroup", (inputs) => ({
      Name: nameOf(inputs),
      Tags: tagList(inputs["tags"]),
    })),
    ...request("aws:iam/role:Role", "iam", "CreateRole", (inputs) => ({
      RoleName: nameOf(inputs),
      Description: inputs["description"],
      AssumeRolePolicyDocument: inputs["assumeRolePolicy"],
      Tags: tagList(inputs["tags"]),
    })),
    ...request("aws:iam/rolePolicy:RolePolicy", "iam", "PutRolePolicy", ({ role, policy }) => ({
      ...{ RoleName: role, PolicyName: "lease-policy-1a2b3c4", PolicyDocument: policy },
    })),
    ...request("aws:sqs/queue:Queue", "sqs", "CreateQueue", (inputs) => ({
      QueueName: nameOf(inputs),
      Attributes: {
        SqsManagedSseEnabled: String(inputs["sqsManagedSseEnabled"]),
        MessageRetentionPeriod: String(inputs["messageRetentionSeconds"]),
      },
      tags: inputs["tags"],
    })),
    ...request("aws:sqs/queuePolicy:QueuePolicy", "sqs", "SetQueueAttributes", ({ queueUrl, policy }) => ({
      QueueUrl: queueUrl,
      Attributes: { Policy: policy },
    })),
    ...request("aws:cloudwatch/metricAlarm:MetricAlarm", "cloudwatch", "PutMetricAlarm", alarmRequest),
    ...request("aws:budgets/budget:Budget", "budgets", "CreateBudget", budgetRequest),
  ];
}

function alarmRequest({ name, dimensions, tags, ...rest }: Inputs): unknown {
  const list = Object.entries(dimensions as object).map(([Name, Value]) => ({ Name, Value: Value as string }));
  return { ...(pascal(rest) as object), AlarmName: name, Dimensions: list, Tags: tagList(tags) };
}

function budgetRequest(inputs: Inputs): unknown {
  const notifications = inputs["notifications"] as ({ subscriberEmailAddresses: string[] } & Inputs)[];
  const [filter] = inputs["costFilters"] as { name: string; values: string[] }[];
  return {
    AccountId: "123456789012",
    Budget: {
      BudgetName: nameOf(inputs),
      BudgetType: inputs["budgetType"],
      TimeUnit: inputs["timeUnit"],
      BudgetLimit: { Amount: inputs["limitAmount"], Unit: inputs["limitUnit"] },
      CostFilters: { [String(filter?.name)]: filter?.values },
    },
    NotificationsWithSubscribers: notifications.map(({ subscriberEmailAddresses, ...notification }) => ({
      Notification: pascal(notification),
      Subscribers: subscriberEmailAddresses.map((Address) => ({ SubscriptionType: "EMAIL", Address })),
    })),
    ResourceTags: tagList(inputs["tags"]),
  };
}

/**
 * The service has endpoints in AWS GovCloud (US), but the pattern of these two ARNs allows one dash in the partition.
 */
const knownMismatches: Readonly<Record<string, readonly string[]>> = {
  "us-gov-west-1": [".Target.DeadLetterConfig.Arn", ".Target.RoleArn"],
};

describe.skipIf(missing !== undefined)("the models of AWS accept every request of a lease", () => {
  test.for(["ap-northeast-2", "us-gov-west-1", "cn-north-1"])("in %s", async (region) => {
    const nodeGroups = { ["g".repeat(50)]: { nodeGroupName: "n".repeat(63), maxSize: 450 } };
    const recording = await plan(
      () => {
        new LabLease("lease", {
          ...{ clusterName: "c".repeat(100), nodeGroups, timeZone: "America/Argentina/ComodRivadavia" },
          expiresAt: inDays(7, new Date()),
          alarmTopicArns: ["arn:aws:sns:ap-northeast-2:123456789012:labs"],
          budget: { amountPerMonth: 1_000_000, emails: ["lab@example.com"] },
        });
      },
      { region, cloud: cloudWithLease(region) },
    );
    const requests = requestsOf(recording);
    expect(requests.map(({ operation }) => operation)).toEqual([
      ...["CreateSchedule", "CreateSchedule", "UpdateNodegroupConfig", "UpdateNodegroupConfig"],
      ...["CreateScheduleGroup", "CreateRole", "PutRolePolicy", "CreateQueue", "SetQueueAttributes"],
      ...["PutMetricAlarm", "CreateBudget"],
    ]);
    const found = modelProblems(requests).map((problems) => problems.map((problem) => problem.split(":")[0]));
    const known = knownMismatches[region] ?? [];
    expect(found).toEqual(requests.map(({ operation }) => (operation === "CreateSchedule" ? known : [])));
  });

  test("they reject what the real service rejects", () => {
    const update = (params: object): AwsRequest => ({
      ...{ service: "eks", operation: "UpdateNodegroupConfig", isPascalCase: true, params },
    });
    const names = { ClusterName: "a", NodegroupName: "b" };
    const schedule = { Name: "a b", ScheduleExpression: "", FlexibleTimeWindow: { Mode: "NONE" } };
    expect(
      modelProblems([
        update({ clusterName: "a", nodegroupName: "b" }),
        update({ ...names, ScalingConfig: { MinSize: 0, MaxSize: 0, DesiredSize: -1 } }),
        update({ ...names, ScalingConfig: { MinSize: "0" } }),
        { service: "scheduler", operation: "CreateSchedule", params: schedule },
      ]).map((each) => each.length),
    ).toEqual([4, 2, 1, 4]);
  });
});
