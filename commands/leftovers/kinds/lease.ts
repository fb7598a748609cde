import { codeOf } from "../../../aws/aws-error";
import { itemsOf, request, type Aws } from "../../../aws/clients";
import { free, lastPart, tagsOf, monthly } from "../found";
import { step } from "../requests";
import { hasOwner } from "./ec2-search";
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

/** The rules of Karpenter's interruptions, on the default bus. AWS rejects the removal of one with targets. */
const rules = kindOf({
  kind: "EventBridge rule",
  type: "aws:cloudwatch/eventRule:EventRule",
  reads: ["events:ListRules", "events:ListTagsForResource", "events:ListTargetsByRule"],
  list: async (aws) => {
    const all = await itemsOf(aws, "events:ListRules", "Rules", {});
    // A service of AWS removes its own.
    return all.filter(({ ManagedBy }) => ManagedBy === undefined);
  },
  nameOf: ({ Name }) => Name,
  found: async ({ Name = "", Arn: ResourceARN }, aws) => {
    const tags = tagsOf((await request(aws, "events:ListTagsForResource", { ResourceARN })).Tags);
    if (!hasOwner(tags)) return undefined;
    const targets = await listTargets(aws, Name);
    const Ids = targets.flatMap(({ Id }) => Id ?? []);
    const remove = [step(aws, "events:DeleteRule", { Name })];
    if (Ids.length > 0) remove.unshift(step(aws, "events:RemoveTargets", { Rule: Name, Ids }));
    return { id: Name, tags, rate: free, steps: remove };
  },
});

export function listTargets(aws: Aws, Rule: string) {
  return itemsOf(aws, "events:ListTargetsByRule", "Targets", { Rule });
}

/** The Automation of the second line. */
const documents = kindOf({
  kind: "SSM document",
  type: "aws:ssm/document:Document",
  reads: ["ssm:ListDocuments", "ssm:ListTagsForResource"],
  list: (aws) => {
    const Filters = Object.entries({ Owner: "Self", DocumentType: "Automation" });
    return itemsOf(aws, "ssm:ListDocuments", "DocumentIdentifiers", {
      Filters: Filters.map(([Key, value]) => ({ Key, Values: [value] })),
    });
  },
  nameOf: ({ Name }) => Name,
  found: async ({ Name = "", CreatedDate }, aws) => {
    const of = { ResourceType: "Document", ResourceId: Name } as const;
    const { TagList } = await request(aws, "ssm:ListTagsForResource", of);
    return {
      ...{ id: Name, tags: tagsOf(TagList), rate: free, since: CreatedDate?.toISOString() },
      steps: [step(aws, "ssm:DeleteDocument", { Name })],
    };
  },
});

/** The queues of schedules that fail, and of interruptions. */
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
export const leaseKinds = [scheduleGroups, rules, documents, alarms, queues, budgets];
