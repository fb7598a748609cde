import { unknownSentinel } from "../../components/core/wire";
import { subnetReference, vpcReference } from "./network/references";
import { types } from "./types";
import { arn, checkWords, computedDefaults, ec2Id, nameFor, regional, stringAt, stringOf, uniqueName } from "./values";
import { CloudError } from "../cloud/errors";
import type { ResourceModel } from "../cloud/model";

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html */
const retentions = [
  0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

export const logGroup: ResourceModel = {
  type: types.logGroup,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 512 },
  defaults: { retentionInDays: 0, skipDestroy: false },
  check: ({ retentionInDays }) => {
    if (retentionInDays === unknownSentinel || retentions.includes(Number(retentionInDays ?? 0))) return [];
    const reason = `expected retention_in_days to be one of [${retentions.join(" ")}], got ${stringOf(retentionInDays)}`;
    return [{ property: "retentionInDays", reason }];
  },
  unique: uniqueName("ResourceAlreadyExistsException", "The specified log group already exists"),
  id: ({ inputs }, serial) => nameFor(inputs, serial),
  ...regional((request, id) => ({
    ...computedDefaults(request.inputs, { name: id, logGroupClass: "STANDARD" }),
    arn: arn(request.cloud, "logs", `log-group:${id}`),
  })),
  validateCreate: ({ inputs }) => {
    const name = stringAt(inputs, "name") ?? stringAt(inputs, "namePrefix") ?? "";
    if (/^[.\-_/#A-Za-z0-9]{0,512}$/.test(name) && !name.startsWith("aws/")) return undefined;
    const constraint = String.raw`Member must satisfy regular expression pattern: [\.\-_/#A-Za-z0-9]+`;
    const message = `1 validation error detected: Value '${name}' at 'logGroupName' failed to satisfy constraint: ${constraint}`;
    return new CloudError("InvalidParameterException", message);
  },
};

const defaultFormat =
  "${version} ${account-id} ${interface-id} ${srcaddr} ${dstaddr} ${srcport} ${dstport} ${protocol} ${packets} ${bytes} ${start} ${end} ${action} ${log-status}";

export const flowLog: ResourceModel = {
  type: types.flowLog,
  defaults: { logDestinationType: "cloud-watch-logs", maxAggregationInterval: 600 },
  references: [
    vpcReference("vpcId", "cascade"),
    subnetReference("subnetId", "cascade"),
    {
      path: "iamRoleArn",
      to: types.role,
      by: "arn",
      missing: () => new CloudError("InvalidParameter", "Unable to assume given IAM role"),
    },
  ],
  unique: ({ vpcId, subnetId, trafficType, logDestination }) => {
    const message = "Error. There is an existing Flow Log with the same configuration and log destination.";
    const key = [vpcId, subnetId, trafficType, logDestination].map(String).join(" ");
    return { key, error: new CloudError("FlowLogAlreadyExists", message) };
  },
  id: ec2Id("fl"),
  ...regional((request, id) => ({
    ...computedDefaults(request.inputs, { logFormat: defaultFormat }),
    arn: arn(request.cloud, "ec2", `vpc-flow-log/${id}`),
  })),
};

/** Values that the provider accepts. */
const words: Readonly<Record<string, readonly string[]>> = {
  comparisonOperator: [
    ...["GreaterThanOrEqualToThreshold", "GreaterThanThreshold", "LessThanThreshold", "LessThanOrEqualToThreshold"],
    ...["LessThanLowerOrGreaterThanUpperThreshold", "LessThanLowerThreshold", "GreaterThanUpperThreshold"],
  ],
  statistic: ["SampleCount", "Average", "Sum", "Minimum", "Maximum"],
  treatMissingData: ["breaching", "notBreaching", "ignore", "missing"],
};

/** An alarm. CloudWatch overwrites an existing alarm of the same name. The simulation evaluates no metrics. */
export const metricAlarm: ResourceModel = {
  type: types.metricAlarm,
  autoname: { property: "name", maxLength: 255 },
  defaults: { actionsEnabled: true, treatMissingData: "missing" },
  required: ["comparisonOperator", "evaluationPeriods"],
  check: (inputs) => checkWords(words, inputs),
  id: ({ inputs }, serial) => nameFor(inputs, serial),
  ...regional((request, id) => ({
    ...computedDefaults(request.inputs, { name: id, evaluateLowSampleCountPercentiles: "" }),
    arn: arn(request.cloud, "cloudwatch", `alarm:${id}`),
  })),
};

/** A rule of the default event bus. */
export const eventRule: ResourceModel = {
  type: types.eventRule,
  autoname: { property: "name", prefix: "namePrefix", maxLength: 64 },
  defaults: { eventBusName: "default", forceDestroy: false, state: "ENABLED" },
  id: ({ inputs }, serial) => nameFor(inputs, serial),
  ...regional((request, id) => ({
    ...computedDefaults(request.inputs, { name: id }),
    arn: arn(request.cloud, "events", `rule/${id}`),
  })),
};

/** Where a rule sends its events. EventBridge does not check that it may send there. */
export const eventTarget: ResourceModel = {
  type: types.eventTarget,
  required: ["rule", "arn"],
  references: [
    {
      path: "rule",
      to: types.eventRule,
      missing: (name) =>
        new CloudError("ResourceNotFoundException", `Rule ${name} does not exist on EventBus default.`),
      onDelete: () => new CloudError("ValidationException", "Rule can't be deleted since it has targets."),
    },
  ],
  id: ({ inputs }, serial) => `${stringOf(inputs["rule"])}-${stringAt(inputs, "targetId") ?? `terraform-${serial}`}`,
  computed: ({ cloud, inputs }, id) =>
    computedDefaults(inputs, {
      ...{ region: cloud.account.region, eventBusName: "default" },
      targetId: id.slice(stringOf(inputs["rule"]).length + 1),
    }),
};
