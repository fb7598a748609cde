import * as pulumi from "@pulumi/pulumi";
import { Vpc } from "@pulumi/aws/ec2";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../components/core/problems";
import { inDays } from "../../../components/core/faults";
import { LabLease } from "../../../components/lease/lab-lease";
import type { LabLeaseArgs } from "../../../components/lease/lab-lease-schema";
import type { Recording } from "../../../planner/record/record";
import { byName, ofType, only, plan } from "../../support/plan";
import { cloudWithLease, leaseArns } from "./lease-cloud";

const stated: LabLeaseArgs = {
  clusterName: "myeks",
  nodeGroups: { gpu: { nodeGroupName: "myeks-gpu-1", maxSize: 2 } },
};
const expiresAt = `${inDays(7, new Date())}T18:00:00+09:00`;
const end = `${inDays(7, new Date())}T09:00:00`;

/** What a LabLease registers, in a cloud that knows the ARNs of its resources. */
function planned(args: Partial<LabLeaseArgs> = {}, region = "ap-northeast-2"): Promise<Recording> {
  return plan(
    () => {
      const { description, commands, deadLetterQueueUrl, roleArn } = new LabLease("lease", { ...stated, ...args });
      return { description, commands, deadLetterQueueUrl, roleArn };
    },
    { region, cloud: cloudWithLease(region) },
  );
}

const schedules = (recording: Recording) => ofType(recording, "aws:scheduler/schedule:Schedule");
const json = (text: unknown) => JSON.parse(text as string) as Record<string, unknown>;

describe("by default", () => {
  test("it makes exactly these resources, all of them its children", async () => {
    const recording = await planned();
    const component = only(recording, "eks-gpu-lab:index:LabLease");
    const made = recording.resources.filter(({ parent }) => parent === component.urn);
    expect(made.map(({ type, name }) => `${type} ${name}`).sort()).toEqual([
      "aws:cloudwatch/metricAlarm:MetricAlarm lease-failed",
      "aws:iam/role:Role lease-role",
      "aws:iam/rolePolicy:RolePolicy lease-policy",
      "aws:scheduler/schedule:Schedule lease-nightly-gpu",
      "aws:scheduler/scheduleGroup:ScheduleGroup lease-schedules",
      "aws:sqs/queue:Queue lease-failures",
      "aws:sqs/queuePolicy:QueuePolicy lease-failures-policy",
    ]);
    expect(recording.resources).toHaveLength(made.length + 2);
  });

  test("a schedule sets the sizes to 0 each evening and keeps the maximum", async () => {
    const recording = await planned();
    const { inputs, dependencies } = only(recording, "aws:scheduler/schedule:Schedule");
    const { target, ...times } = inputs as { target: { input: string } };
    expect(times).toEqual({
      name: "nightly-gpu",
      groupName: "myeks-lease-1",
      description: "Ends the GPU nodes of a forgotten session",
      scheduleExpression: "cron(0 22 * * ? *)",
      scheduleExpressionTimezone: "UTC",
      flexibleTimeWindow: { mode: "OFF" },
      actionAfterCompletion: "NONE",
    });
    expect({ ...target, input: json(target.input) }).toEqual({
      arn: "arn:aws:scheduler:::aws-sdk:eks:updateNodegroupConfig",
      roleArn: leaseArns("ap-northeast-2").role,
      deadLetterConfig: { arn: leaseArns("ap-northeast-2").queue },
      retryPolicy: { maximumEventAgeInSeconds: 14400, maximumRetryAttempts: 185 },
      input: {
        ClusterName: "myeks",
        NodegroupName: "myeks-gpu-1",
        ScalingConfig: { MinSize: 0, MaxSize: 2, DesiredSize: 0 },
      },
    });
    expect(dependencies).toContain(byName(recording, "lease-policy").urn);
  });
});

test("each node group has a schedule for each time", async () => {
  const nodeGroups = { a: { nodeGroupName: "group-a", maxSize: 1 }, b: { nodeGroupName: "group-b", maxSize: 450 } };
  const recording = await planned({ nodeGroups, nightly: "05:07", timeZone: "Asia/Seoul", expiresAt });
  const brief = schedules(recording).map(({ name, inputs }) => {
    const { scheduleExpression, scheduleExpressionTimezone, target } = inputs as Record<string, { input?: string }>;
    return [name, scheduleExpression, scheduleExpressionTimezone, json(target?.input)["NodegroupName"]];
  });
  expect(brief).toEqual([
    ["lease-nightly-a", "cron(7 5 * * ? *)", "Asia/Seoul", "group-a"],
    ["lease-nightly-b", "cron(7 5 * * ? *)", "Asia/Seoul", "group-b"],
    ["lease-end-a", `at(${end})`, "UTC", "group-a"],
    ["lease-end-b", `at(${end})`, "UTC", "group-b"],
  ]);
  expect(recording.outputs["description"]).toBe(
    `all GPU nodes are terminated every day at 05:07 Asia/Seoul, and at ${end}Z`,
  );
});

test("without nightly, only the end of the lease ends nodes; a day ends at midnight UTC", async () => {
  const recording = await planned({ nightly: "none", expiresAt: inDays(3, new Date()) });
  const { inputs } = only(recording, "aws:scheduler/schedule:Schedule");
  expect(inputs["scheduleExpression"]).toBe(`at(${inDays(4, new Date())}T00:00:00)`);
});

describe.for([
  ["ap-northeast-2", "aws"],
  ["us-gov-west-1", "aws-us-gov"],
  ["cn-north-1", "aws-cn"],
] as const)("in %s", ([region, partition]) => {
  test("target and permissions belong to the partition", async () => {
    const recording = await planned({ expiresAt }, region);
    for (const { inputs } of schedules(recording)) {
      expect(inputs["target"]).toMatchObject({ arn: `arn:${partition}:scheduler:::aws-sdk:eks:updateNodegroupConfig` });
    }
    expect(json(byName(recording, "lease-policy").inputs["policy"])).toEqual({
      Version: "2012-10-17",
      Statement: [
        {
          Sid: "EndNodes",
          Effect: "Allow",
          Action: ["eks:UpdateNodegroupConfig"],
          Resource: [`arn:${partition}:eks:${region}:123456789012:nodegroup/myeks/myeks-gpu-1/*`],
        },
        { Sid: "ReportFailures", Effect: "Allow", Action: ["sqs:SendMessage"], Resource: leaseArns(region).queue },
      ],
    });
  });

  test("only schedules of the group in this account assume the role", async () => {
    const recording = await planned({}, region);
    const { inputs } = only(recording, "aws:iam/role:Role");
    expect(json(inputs["assumeRolePolicy"])["Statement"]).toEqual([
      {
        Sid: "SchedulerEndsNodes",
        Effect: "Allow",
        Principal: { Service: "scheduler.amazonaws.com" },
        Action: "sts:AssumeRole",
        Condition: {
          StringEquals: { "aws:SourceAccount": "123456789012", "aws:SourceArn": leaseArns(region).group },
        },
      },
    ]);
  });
});

test("failed requests leave an encrypted queue before the next night, and requests without TLS are denied", async () => {
  const recording = await planned();
  expect(only(recording, "aws:sqs/queue:Queue").inputs).toMatchObject({
    namePrefix: "myeks-lease-",
    sqsManagedSseEnabled: true,
    messageRetentionSeconds: 18 * 3600,
  });
  const { inputs } = only(recording, "aws:sqs/queuePolicy:QueuePolicy");
  expect(json(inputs["policy"])["Statement"]).toEqual([
    {
      Sid: "RequireTls",
      Effect: "Deny",
      Principal: { AWS: "*" },
      Action: "sqs:*",
      Resource: leaseArns("ap-northeast-2").queue,
      Condition: { Bool: { "aws:SecureTransport": "false" } },
    },
  ]);
});

const topic = "arn:aws:sns:ap-northeast-2:123456789012:labs";

test.for([
  ["the topics", [topic]],
  // The type has no list that is an Output. A program in another language passes one.
  ["the topics of an Output", pulumi.output([topic]) as unknown as string[]],
] as const)("one message in the queue is an alarm, which %s get", async ([, alarmTopicArns]) => {
  const { inputs } = only(await planned({ alarmTopicArns }), "aws:cloudwatch/metricAlarm:MetricAlarm");
  expect(inputs).toMatchObject({
    name: "myeks-lease-1",
    namespace: "AWS/SQS",
    metricName: "ApproximateNumberOfMessagesVisible",
    dimensions: { QueueName: "myeks-lease-1" },
    statistic: "Maximum",
    comparisonOperator: "GreaterThanThreshold",
    threshold: 0,
    treatMissingData: "notBreaching",
    alarmActions: [topic],
  });
});

test.for([
  ["ap-northeast-2", "USD"],
  ["cn-north-1", "CNY"],
] as const)("in %s, the budget selects the tag lab, in %s", async ([region, limitUnit]) => {
  const budget = { amountPerMonth: 120, emails: ["a@example.com", "b@example.com"] };
  const recording = await planned({ budget, lab: "nccl block" }, region);
  const { inputs } = only(recording, "aws:budgets/budget:Budget");
  expect(inputs).toMatchObject({
    budgetType: "COST",
    timeUnit: "MONTHLY",
    limitAmount: "120",
    limitUnit,
    costFilters: [{ name: "TagKeyValue", values: ["user:lab$nccl block"] }],
  });
  expect(inputs["notifications"]).toEqual(
    [
      { notificationType: "ACTUAL", threshold: 80 },
      { notificationType: "FORECASTED", threshold: 100 },
    ].map((notification) => ({
      ...notification,
      comparisonOperator: "GREATER_THAN",
      thresholdType: "PERCENTAGE",
      subscriberEmailAddresses: budget.emails,
    })),
  );
});

test("everything that can have tags has lab, owner and the end", async () => {
  const taggable = (recording: Recording) =>
    recording.resources.filter(({ type }) => /:(Queue|Role|ScheduleGroup|MetricAlarm|Budget)$/.test(type));
  const budget = { amountPerMonth: 1, emails: ["a@example.com"] };
  const found = taggable(await planned({ budget, expiresAt, owner: "gpu-team", tags: { team: "a" } }));
  expect(found).toHaveLength(5);
  for (const { inputs } of found) {
    const tags = { Name: "myeks-lease", lab: "myeks", owner: "gpu-team", "expires-at": `${end}Z`, team: "a" };
    expect(inputs["tags"]).toEqual(tags);
  }
  for (const { inputs } of taggable(await planned())) {
    expect(inputs["tags"]).toMatchObject({ owner: "unassigned", "expires-at": "none" });
  }
});

test("names of a long cluster name stay within the limits of IAM", async () => {
  const { inputs } = only(await planned({ clusterName: "c".repeat(100) }), "aws:iam/role:Role");
  expect(inputs["namePrefix"]).toMatch(/^c{37}-$/);
});

test("names that are Outputs are resolved; waiting and adjustments reach every resource", async () => {
  const recording = await plan(() => {
    const first = new Vpc("first", {});
    const nodeGroups = { gpu: { nodeGroupName: pulumi.output("made-later"), maxSize: 3 } };
    const transform = { schedule: { state: "DISABLED" }, queue: { delaySeconds: 1 } };
    new LabLease(
      "lease",
      { ...stated, clusterName: pulumi.output("other"), nodeGroups, transform },
      { dependsOn: first },
    );
  });
  const component = only(recording, "eks-gpu-lab:index:LabLease");
  const children = recording.resources.filter(({ parent }) => parent === component.urn);
  for (const { dependencies } of children) expect(dependencies).toContain(byName(recording, "first").urn);
  const { state, target } = byName(recording, "lease-nightly-gpu").inputs as Record<string, { input?: string }>;
  expect(state).toBe("DISABLED");
  expect(json(target?.input)).toMatchObject({ ClusterName: "other", NodegroupName: "made-later" });
  expect(byName(recording, "lease-failures").inputs).toMatchObject({ delaySeconds: 1, sqsManagedSseEnabled: true });
  expect(component.inputs).not.toHaveProperty("transform");
});

test("commands show the schedules and the failures", async () => {
  expect((await planned()).outputs["commands"]).toEqual({
    schedules:
      "aws scheduler list-schedules --region ap-northeast-2 --group-name myeks-lease-1 --query 'Schedules[].[Name,State]' --output table",
    failures: `aws sqs receive-message --region ap-northeast-2 --queue-url ${leaseArns("ap-northeast-2").queueUrl} --message-attribute-names All --max-number-of-messages 10`,
  });
});

test("with a problem, no resource is created", async () => {
  await expect(planned({ nightly: "none" })).rejects.toThrow(InputError);
});
