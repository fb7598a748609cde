import { codeOf } from "../../../aws/aws-error";
import { itemsOf, request, type Aws } from "../../../aws/clients";
import { free, lastPart, tagsOf, monthly } from "../found";
import { step } from "../requests";
import { kindOf } from "./kind";

/** The schedules of a lease, by group: deleting a group deletes its schedules. */
const scheduleGroups = kindOf({
  kind: "schedule group",
  type: "aws:scheduler/scheduleGroup:ScheduleGroup",
  reads: ["scheduler:ListScheduleGroups", "scheduler:ListTagsForResource"],
  list: async (aws) => {
    const all = await itemsOf(aws, "scheduler:ListScheduleGroups", "ScheduleGroups", {});
    return all.filter(({ Name, State }) => Name !== "default" && State !== "DELETING");
  },
  nameOf: ({ Name }) => Name,
  found: async ({ Name: name = "", Arn, CreationDate }, aws) => {
    const { Tags } = await request(aws, "scheduler:ListTagsForResource", { ResourceArn: Arn });
    return {
      ...{ id: name, tags: tagsOf(Tags), rate: free, since: CreationDate?.toISOString() },
      steps: [step(aws, "scheduler:DeleteScheduleGroup", { Name: name })],
    };
  },
});

/** The dead-letter queues of schedules. */
const queues = kindOf({
  kind: "SQS queue",
  type: "aws:sqs/queue:Queue",
  reads: ["sqs:ListQueues", "sqs:ListQueueTags"],
  list: (aws) => itemsOf(aws, "sqs:ListQueues", "QueueUrls", { MaxResults: 1000 }),
  nameOf: (url) => lastPart(url),
  found: async (QueueUrl, aws) => {
    const tags = await tagsOfQueue(aws, QueueUrl);
    return tags && { id: QueueUrl, tags, rate: free, steps: [step(aws, "sqs:DeleteQueue", { QueueUrl })] };
  },
});

/** SQS lists a queue for up to a minute after its deletion. */
async function tagsOfQueue(aws: Aws, QueueUrl: string): Promise<Record<string, string> | undefined> {
  try {
    return (await request(aws, "sqs:ListQueueTags", { QueueUrl })).Tags ?? {};
  } catch (error) {
    if (/NonExistentQueue|QueueDoesNotExist/.test(codeOf(error))) return undefined;
    throw error;
  }
}

/** The alarms of dead-letter queues. */
const alarms = kindOf({
  kind: "CloudWatch alarm",
  type: "aws:cloudwatch/metricAlarm:MetricAlarm",
  reads: ["cloudwatch:DescribeAlarms", "cloudwatch:ListTagsForResource"],
  list: (aws) => itemsOf(aws, "cloudwatch:DescribeAlarms", "MetricAlarms", { AlarmTypes: ["MetricAlarm"] }),
  nameOf: ({ AlarmName }) => AlarmName,
  found: async ({ AlarmName: name = "", AlarmArn: ResourceARN }, aws) => {
    const { Tags } = await request(aws, "cloudwatch:ListTagsForResource", { ResourceARN });
    return {
      ...{ id: name, tags: tagsOf(Tags), rate: monthly(aws.region, "cloudwatch-alarm") },
      steps: [step(aws, "cloudwatch:DeleteAlarms", { AlarmNames: [name] })],
    };
  },
});

/** The budgets of the account: they have no region. */
const budgets = kindOf({
  kind: "budget",
  type: "aws:budgets/budget:Budget",
  reads: ["sts:GetCallerIdentity", "budgets:ViewBudget", "budgets:ListTagsForResource"],
  isGlobal: true,
  list: async (aws) => {
    // The SDK knows no endpoint of AWS Budgets in these partitions.
    if (/^us-(?:gov|iso)/.test(aws.region)) return [];
    const { Account: AccountId = "", Arn = "" } = await request(aws, "sts:GetCallerIdentity", {});
    const all = await itemsOf(aws, "budgets:DescribeBudgets", "Budgets", { AccountId });
    const prefix = `arn:${Arn.split(":")[1]}:budgets::${AccountId}:budget/`;
    return all.map(({ BudgetName = "" }) => ({ AccountId, BudgetName, ResourceARN: `${prefix}${BudgetName}` }));
  },
  nameOf: ({ BudgetName }) => BudgetName,
  found: async ({ AccountId, BudgetName, ResourceARN }, aws) => {
    const { ResourceTags } = await request(aws, "budgets:ListTagsForResource", { ResourceARN });
    return {
      ...{ id: BudgetName, pulumiId: `${AccountId}:${BudgetName}`, tags: tagsOf(ResourceTags), rate: free },
      steps: [step(aws, "budgets:DeleteBudget", { AccountId, BudgetName })],
    };
  },
});

/** In the order in which they are removed. */
export const leaseKinds = [scheduleGroups, alarms, queues, budgets];
