import { unknownSentinel } from "../../components/core/wire";
import type { CheckFailure, ResourceModel } from "../cloud/model";
import type { Properties } from "../../components/core/wire";
import { types } from "./types";
import { arn, computedDefaults, nameFor, regional, stringOf } from "./values";

/** Values that the provider accepts. */
const words: Readonly<Record<string, readonly string[]>> = {
  comparisonOperator: [
    ...["GreaterThanOrEqualToThreshold", "GreaterThanThreshold", "LessThanThreshold", "LessThanOrEqualToThreshold"],
    ...["LessThanLowerOrGreaterThanUpperThreshold", "LessThanLowerThreshold", "GreaterThanUpperThreshold"],
  ],
  statistic: ["SampleCount", "Average", "Sum", "Minimum", "Maximum"],
  treatMissingData: ["breaching", "notBreaching", "ignore", "missing"],
};

function checkWords(inputs: Properties): CheckFailure[] {
  return Object.entries(words).flatMap(([property, allowed]) => {
    const value = inputs[property];
    if (value === undefined || value === unknownSentinel || allowed.includes(stringOf(value))) return [];
    return [{ property, reason: `expected ${property} to be one of [${allowed.join(" ")}], got ${stringOf(value)}` }];
  });
}

/** An alarm. CloudWatch overwrites an existing alarm of the same name. The simulation evaluates no metrics. */
export const metricAlarm: ResourceModel = {
  type: types.metricAlarm,
  autoname: { property: "name", maxLength: 255 },
  defaults: { actionsEnabled: true, treatMissingData: "missing" },
  required: ["comparisonOperator", "evaluationPeriods"],
  check: checkWords,
  id: ({ inputs }, serial) => nameFor(inputs, serial),
  ...regional((request, id) => ({
    ...computedDefaults(request.inputs, { name: id, evaluateLowSampleCountPercentiles: "" }),
    arn: arn(request.cloud, "cloudwatch", `alarm:${id}`),
  })),
};
