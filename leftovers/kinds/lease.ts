import type { Budget } from "@aws-sdk/client-budgets";
import type { MetricAlarm } from "@aws-sdk/client-cloudwatch";
import { allPages } from "../../sessions/clients";
import { codeOf } from "../aws";
import { free, tagsOf, type Found, type Search } from "../found";
import { monthly } from "../rates";
import type { Kind } from "./kind";

/** The names of a lease's parts begin with the name of the cluster, which is cut where it is too long. */
export function leasePrefix({ cluster }: Search): string | undefined {
  return cluster?.slice(0, shortestPart);
}

const shortestPart = 20;

/** The dead-letter queues of schedules. */
export const queues: Kind = {
  kind: "SQS queue",
  type: "aws:sqs/queue:Queue",
  reads: ["sqs:ListQueues", "sqs:ListQueueTags"],
  read: async (aws, search) => {
    const sqs = await aws.sqs();
    const QueueNamePrefix = leasePrefix(search);
    const urls = await allPages(async (NextToken) => {
      const answer = await sqs.listQueues({
        ...{ MaxResults: 1000, ...(QueueNamePrefix !== undefined && { QueueNamePrefix }) },
        ...(NextToken !== undefined && { NextToken }),
      });
      return { items: answer.QueueUrls, next: answer.NextToken };
    });
    const found = urls.map(async (QueueUrl): Promise<Found[]> => {
      const tags = await ofExisting(async () => (await sqs.listQueueTags({ QueueUrl })).Tags ?? {});
      const deletion = {
        cli: `sqs delete-queue --queue-url ${QueueUrl}`,
        action: "sqs:DeleteQueue",
        run: () => sqs.deleteQueue({ QueueUrl }),
      };
      return tags ? [{ id: QueueUrl, tags, rate: free, steps: [deletion] }] : [];
    });
    return (await Promise.all(found)).flat();
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
    const AlarmNamePrefix = leasePrefix(search);
    const all = await allPages<MetricAlarm>(async (NextToken) => {
      const answer = await cloudwatch.describeAlarms({
        ...{ AlarmTypes: ["MetricAlarm"], ...(AlarmNamePrefix !== undefined && { AlarmNamePrefix }) },
        ...(NextToken !== undefined && { NextToken }),
      });
      return { items: answer.MetricAlarms, next: answer.NextToken };
    });
    return Promise.all(
      all.map(async ({ AlarmName: name = "", AlarmArn: ResourceARN }): Promise<Found> => {
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
      }),
    );
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
    const own = all.filter(({ BudgetName = "" }) => BudgetName.startsWith(leasePrefix(search) ?? ""));
    return Promise.all(
      own.map(async ({ BudgetName = "" }): Promise<Found> => {
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
      }),
    );
  },
};
