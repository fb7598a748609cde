import type { Properties } from "../../components/core/wire";
import { types } from "../aws/types";
import { stringOf } from "../aws/values";
import { CloudError, existing } from "../cloud/errors";
import type { CloudObject } from "../cloud/model";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import { createdSeconds, deleteOrFail, namedLike, nameOf, tagList, tagsOf } from "./objects";
import { queryApi } from "./query";
import { jsonApi, type ServiceApi } from "./service-api";

// The services of which `leftovers` and `preflight` ask only a few operations.

/** The API of SQS: queues without messages. */
export function sqsApi(cloud: SimulatedCloud): ServiceApi {
  const missing = new CloudError("QueueDoesNotExist", "The specified queue does not exist.");
  return jsonApi({
    ListQueues: ({ QueueNamePrefix: prefix = "" }) => ({
      QueueUrls: namedLike(cloud, types.queue, prefix).map(({ id }) => id),
    }),
    ListQueueTags: ({ QueueUrl: url }) => ({ Tags: tagsOf(existing(cloud.get(types.queue, stringOf(url)), missing)) }),
    DeleteQueue: ({ QueueUrl: url }) => deleteOrFail(cloud, types.queue, stringOf(url), missing),
  });
}

/** The API of EventBridge: rules of the default bus, and their targets. */
export function eventsApi(cloud: SimulatedCloud): ServiceApi {
  const missing = new CloudError("ResourceNotFoundException", "Rule does not exist on EventBus default.");
  const targetsOf = ({ Rule: rule }: Properties) => {
    existing(cloud.get(types.eventRule, stringOf(rule)), missing);
    return cloud.find(types.eventTarget, { rule });
  };
  return jsonApi({
    ListRules: () => ({
      Rules: cloud.find(types.eventRule).map(({ id: Name, computed }) => ({ Name, Arn: computed["arn"] })),
    }),
    ListTagsForResource: ({ ResourceARN: arn }) => ({
      Tags: tagList(existing(cloud.find(types.eventRule, { arn })[0], missing)),
    }),
    ListTargetsByRule: (body) => ({
      Targets: targetsOf(body).map(({ inputs, computed }) => ({ Id: computed["targetId"], Arn: inputs["arn"] })),
    }),
    RemoveTargets: async (body) => {
      const ids = [body["Ids"]].flat();
      const gone = targetsOf(body).filter(({ computed }) => ids.includes(computed["targetId"]));
      for (const { type, id } of gone) await cloud.delete(type, id);
      return { FailedEntryCount: 0, FailedEntries: [] };
    },
    DeleteRule: ({ Name: name }) => deleteOrFail(cloud, types.eventRule, stringOf(name), missing),
  });
}

/** The API of Systems Manager: documents. */
export function ssmApi(cloud: SimulatedCloud): ServiceApi {
  const missing = new CloudError("InvalidDocument", "The specified document does not exist.");
  return jsonApi({
    ListDocuments: () => ({
      DocumentIdentifiers: cloud.find(types.document).map((document) => {
        const CreatedDate = createdSeconds(cloud, document);
        return { Name: document.id, DocumentType: document.inputs["documentType"], CreatedDate };
      }),
    }),
    ListTagsForResource: ({ ResourceId: id }) => ({
      TagList: tagList(existing(cloud.get(types.document, stringOf(id)), missing)),
    }),
    DeleteDocument: ({ Name: name }) => deleteOrFail(cloud, types.document, stringOf(name), missing),
  });
}

/** The API of CloudWatch: alarms. */
export function cloudwatchApi(cloud: SimulatedCloud): ServiceApi {
  return jsonApi({
    DescribeAlarms: ({ AlarmNamePrefix: prefix = "" }) => ({
      MetricAlarms: namedLike(cloud, types.metricAlarm, prefix).map(({ id, computed }) => {
        return { AlarmName: id, AlarmArn: computed["arn"] };
      }),
    }),
    ListTagsForResource: ({ ResourceARN: arn }) => {
      const missing = new CloudError("ResourceNotFoundException", `Resource ${stringOf(arn)} does not exist.`);
      return { Tags: tagList(existing(cloud.find(types.metricAlarm, { arn })[0], missing)) };
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
    ListTagsForResource: ({ ResourceARN: arn }) => ({
      ResourceTags: tagList(existing(named(stringOf(arn).split("/").at(-1)), missing)),
    }),
    DeleteBudget: ({ BudgetName: name }) => deleteOrFail(cloud, types.budget, named(name)?.id ?? "", missing),
  });
}

/** The API of STS: who asks. */
export function stsApi({ account: { accountId, caller } }: SimulatedCloud): ServiceApi {
  return queryApi("https://sts.amazonaws.com/doc/2011-06-15/", {
    GetCallerIdentity: () => ({ Arn: caller, UserId: "AIDACKCEVSQ6C2EXAMPLE", Account: accountId }),
  });
}

/** The API of KMS: keys with their aliases and tags. The simulation deletes a key at once, as its model does. */
export function kmsApi(cloud: SimulatedCloud): ServiceApi {
  const keyOf = ({ KeyId: id }: Properties): CloudObject => {
    const key = cloud.find(types.key).find((one) => one.id === id || one.computed["arn"] === id);
    return existing(key, new CloudError("NotFoundException", `Key '${stringOf(id)}' does not exist`));
  };
  return jsonApi({
    ListKeys: () => ({ Keys: cloud.find(types.key).map(({ id: KeyId }) => ({ KeyId })), Truncated: false }),
    ListAliases: () => ({
      Aliases: cloud.find(types.alias).map((alias) => ({
        AliasName: nameOf(alias),
        TargetKeyId: stringOf(alias.inputs["targetKeyId"]).split("/").at(-1),
      })),
      Truncated: false,
    }),
    DescribeKey: (body) => {
      const key = keyOf(body);
      const CreationDate = createdSeconds(cloud, key);
      return { KeyMetadata: { KeyId: key.id, KeyManager: "CUSTOMER", KeyState: "Enabled", CreationDate } };
    },
    ListResourceTags: (body) => ({ Tags: tagList(keyOf(body), "TagKey", "TagValue"), Truncated: false }),
    DeleteAlias: ({ AliasName: name }) => {
      const missing = new CloudError("NotFoundException", `Alias ${stringOf(name)} is not found.`);
      return deleteOrFail(cloud, types.alias, stringOf(name), missing);
    },
    ScheduleKeyDeletion: async (body) => {
      const { type, id } = keyOf(body);
      await cloud.delete(type, id);
      return { KeyId: id, KeyState: "PendingDeletion" };
    },
  });
}

/** The API of CloudWatch Logs: log groups without log lines. */
export function logsApi(cloud: SimulatedCloud): ServiceApi {
  const missing = new CloudError("ResourceNotFoundException", "The specified log group does not exist.");
  return jsonApi({
    DescribeLogGroups: ({ logGroupNamePrefix: prefix = "" }) => ({
      logGroups: namedLike(cloud, types.logGroup, prefix).map((group) => ({
        ...{ logGroupName: nameOf(group), arn: `${stringOf(group.computed["arn"])}:*`, storedBytes: 0 },
        creationTime: createdSeconds(cloud, group) * 1000,
      })),
    }),
    ListTagsForResource: ({ resourceArn: arn }) => ({
      tags: tagsOf(existing(cloud.find(types.logGroup, { arn })[0], missing)),
    }),
    DeleteLogGroup: ({ logGroupName: name }) => deleteOrFail(cloud, types.logGroup, stringOf(name), missing),
  });
}

/** The API of Service Quotas: the applied quotas, which are also those of AWS. */
export function quotasApi(cloud: SimulatedCloud): ServiceApi {
  return jsonApi({
    GetServiceQuota: ({ ServiceCode: serviceCode, QuotaCode: quotaCode }) => {
      const found = cloud.call("aws:servicequotas/getServiceQuota:getServiceQuota", { serviceCode, quotaCode });
      const { arn: QuotaArn, adjustable: Adjustable, value: Value } = found;
      return { Quota: { ServiceCode: serviceCode, QuotaCode: quotaCode, QuotaArn, Adjustable, Value } };
    },
  });
}

/** The API of classic load balancers. The account has none, because the simulated cluster runs no controllers. */
export function elbApi(): ServiceApi {
  return queryApi("http://elasticloadbalancing.amazonaws.com/doc/2012-06-01/", {
    DescribeLoadBalancers: () => ({ LoadBalancerDescriptions: [] }),
  });
}

/** The API of application and network load balancers. */
export function elbv2Api(): ServiceApi {
  return queryApi("http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/", {
    DescribeLoadBalancers: () => ({ LoadBalancers: [] }),
    DescribeTargetGroups: () => ({ TargetGroups: [] }),
  });
}
