import type { Budget } from "@aws-sdk/client-budgets";
import type { MetricAlarm } from "@aws-sdk/client-cloudwatch";
import { allPages } from "../../sessions/clients";
import { codeOf } from "../aws";
import { free, tagsOf, type Found } from "../found";
import { monthly } from "../rates";
import { inTurn, withNamesOf } from "./by-name";
import type { Kind } from "./kind";

/** The dead-letter queues of schedules. */
export const queues: Kind = {
  kind: "SQS queue",
  type: "aws:sqs/queue:Queue",
  reads: ["sqs:ListQueues", "sqs:ListQueueTags"],
  read: async (aws, search) => {
    const sqs = await aws.sqs();
    const urls = await allPages(async (NextToken) => {
      const answer = await sqs.listQueues({ MaxResults: 1000, ...(NextToken !== undefined && { NextToken }) });
      return { items: answer.QueueUrls, next: answer.NextToken };
    });
    const own = withNamesOf("SQS queues", urls, (url) => url.split("/").at(-1), search);
    const found = await inTurn(own, async (QueueUrl): Promise<Found[]> => {
      const tags = await ofExisting(async () => (await sqs.listQueueTags({ QueueUrl })).Tags ?? {});
      const deletion = {
        cli: `sqs delete-queue --queue-url ${QueueUrl}`,
        action: "sqs:DeleteQueue",
        run: () => sqs.deleteQueue({ QueueUrl }),
      };
      return tags ? [{ id: QueueUrl, tags, rate: free, steps: [deletion] }] : [];
    });
    return found.flat();
  },
};

/** SQS lists a queue for up to a minute after its deletion. */
async function ofExisting<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (/NonExistentQueue|QueueDoesNotExist/.test(codeOf(error))) return undefined;
    throw error;
  }
}

/** The alarms of dead-letter queues. */
export const alarms: Kind = {
  kind: "CloudWatch alarm",
  type: "aws:cloudwatch/metricAlarm:MetricAlarm",
  reads: ["cloudwatch:DescribeAlarms", "cloudwatch:ListTagsForResource"],
  read: async (aws, search) => {
    const cloudwatch = await aws.cloudwatch();
    const all = await allPages<MetricAlarm>(async (NextToken) => {
      const more = NextToken !== undefined && { NextToken };
      const answer = await cloudwatch.describeAlarms({ AlarmTypes: ["MetricAlarm"], ...more });
      return { items: answer.MetricAlarms, next: answer.NextToken };
    });
    const own = withNamesOf("CloudWatch alarms", all, ({ AlarmName }) => AlarmName, search);
    return inTurn(own, async ({ AlarmName: name = "", AlarmArn: ResourceARN }): Promise<Found> => {
      const { Tags } = await cloudwatch.listTagsForResource({ ResourceARN });
      return {
        ...{ id: name, tags: tagsOf(Tags), rate: monthly(aws.region, "cloudwatch-alarm") },
        steps: [
          {
            cli: `cloudwatch delete-alarms --alarm-names ${name}`,
            action: "cloudwatch:DeleteAlarms",
            run: () => cloudwatch.deleteAlarms({ AlarmNames: [name] }),
          },
        ],
      };
    });
  },
};

/** The budgets of the account: they have no region. */
export const budgets: Kind = {
  kind: "budget",
  type: "aws:budgets/budget:Budget",
  reads: ["sts:GetCallerIdentity", "budgets:ViewBudget", "budgets:ListTagsForResource"],
  isGlobal: true,
  read: async (aws, search) => {
    // The SDK knows no endpoint of AWS Budgets in these partitions.
    if (/^us-(?:gov|iso)/.test(aws.region)) return [];
    const [sts, client] = await Promise.all([aws.sts(), aws.budgets()]);
    const { Account: AccountId = "", Arn = "" } = await sts.getCallerIdentity({});
    const all = await allPages<Budget>(async (NextToken) => {
      const answer = await client.describeBudgets({ AccountId, ...(NextToken !== undefined && { NextToken }) });
      return { items: answer.Budgets, next: answer.NextToken };
    });
    const own = withNamesOf("budgets", all, ({ BudgetName }) => BudgetName, search);
    return inTurn(own, async ({ BudgetName = "" }): Promise<Found> => {
      const ResourceARN = `arn:${Arn.split(":")[1]}:budgets::${AccountId}:budget/${BudgetName}`;
      const { ResourceTags } = await client.listTagsForResource({ ResourceARN });
      return {
        ...{ id: BudgetName, pulumiId: `${AccountId}:${BudgetName}`, tags: tagsOf(ResourceTags), rate: free },
        steps: [
          {
            cli: `budgets delete-budget --account-id ${AccountId} --budget-name ${BudgetName}`,
            action: "budgets:ModifyBudget",
            run: () => client.deleteBudget({ AccountId, BudgetName }),
          },
        ],
      };
    });
  },
};
