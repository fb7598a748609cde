import type { Properties } from "../../components/core/wire";
import { types } from "../aws/types";
import { stringOf } from "../aws/values";
import { CloudError } from "../cloud/errors";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import type { ServiceApi } from "./account-server";
import { jsonApi } from "./json";
import { deleteOrFail, nameOf, tagList, tagsOf } from "./objects";
import { queryApi } from "./query";

// The services of a lease's parts, as far as `leftovers` asks them.

/** The API of SQS: queues without messages. */
export function sqsApi(cloud: SimulatedCloud): ServiceApi {
  const missing = new CloudError("QueueDoesNotExist", "The specified queue does not exist.");
  return jsonApi({
    ListQueues: ({ QueueNamePrefix: prefix = "" }) => ({
      QueueUrls: cloud
        .find(types.queue)
        .filter((queue) => nameOf(queue).startsWith(stringOf(prefix)))
        .map(({ id }) => id),
    }),
    ListQueueTags: ({ QueueUrl: url }) => {
      const queue = cloud.get(types.queue, stringOf(url));
      if (!queue) throw missing;
      return { Tags: tagsOf(queue) };
    },
    DeleteQueue: async ({ QueueUrl: url }) => {
      await deleteOrFail(cloud, types.queue, stringOf(url), missing);
      return {};
    },
  });
}

/** The API of CloudWatch: alarms. */
export function cloudwatchApi(cloud: SimulatedCloud): ServiceApi {
  return jsonApi({
    DescribeAlarms: ({ AlarmNamePrefix: prefix = "" }) => ({
      MetricAlarms: cloud
        .find(types.metricAlarm)
        .filter(({ id }) => id.startsWith(stringOf(prefix)))
        .map(({ id, computed }) => ({ AlarmName: id, AlarmArn: computed["arn"] })),
    }),
    ListTagsForResource: ({ ResourceARN: arn }) => {
      const [alarm] = cloud.find(types.metricAlarm, { arn });
      if (!alarm) throw new CloudError("ResourceNotFoundException", `Resource ${stringOf(arn)} does not exist.`);
      return { Tags: tagList(alarm) };
    },
    DeleteAlarms: async ({ AlarmNames: names }) => {
      for (const name of [names].flat()) await cloud.delete(types.metricAlarm, stringOf(name));
      return {};
    },
  });
}

/** The API of AWS Budgets. */
export function budgetsApi(cloud: SimulatedCloud): ServiceApi {
  const missing = new CloudError("NotFoundException", "The budget does not exist.");
  const named = (name: unknown) => cloud.find(types.budget).find((budget) => nameOf(budget) === name);
  return jsonApi({
    DescribeBudgets: () => ({
      Budgets: cloud.find(types.budget).map((budget) => {
        const { timeUnit: TimeUnit, budgetType: BudgetType }: Properties = budget.inputs;
        return { BudgetName: nameOf(budget), TimeUnit, BudgetType };
      }),
    }),
    ListTagsForResource: ({ ResourceARN: arn }) => {
      const budget = named(stringOf(arn).split("/").at(-1));
      if (!budget) throw missing;
      return { ResourceTags: tagList(budget) };
    },
    DeleteBudget: async ({ BudgetName: name }) => {
      await deleteOrFail(cloud, types.budget, named(name)?.id ?? "", missing);
      return {};
    },
  });
}

/** The API of STS: who asks. */
export function stsApi({ account: { accountId, caller } }: SimulatedCloud): ServiceApi {
  return queryApi("https://sts.amazonaws.com/doc/2011-06-15/", {
    GetCallerIdentity: () => ({ Arn: caller, UserId: "AIDACKCEVSQ6C2EXAMPLE", Account: accountId }),
  });
}
