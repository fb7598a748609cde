import { offlineCloud } from "../../../planner/record/offline-cloud";
import type { Cloud } from "../../../planner/record/record";

/** The ARNs that AWS gives to the resources of a lease in a region. */
export function leaseArns(region: string) {
  const partition = region.startsWith("cn-") ? "aws-cn" : region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
  const domain = partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
  return {
    role: `arn:${partition}:iam::123456789012:role/myeks-lease-1`,
    queue: `arn:${partition}:sqs:${region}:123456789012:myeks-lease-1`,
    queueUrl: `https://sqs.${region}.${domain}/123456789012/myeks-lease-1`,
    eventRule: `arn:${partition}:events:${region}:123456789012:rule/myeks-lease-1`,
    group: `arn:${partition}:scheduler:${region}:123456789012:schedule-group/myeks-lease-1`,
  };
}

/** A cloud in which the resources of a lease exist, so that a plan contains their ARNs. */
export function cloudWithLease(region: string): Cloud {
  const offline = offlineCloud(region);
  const { role, queue, queueUrl, group, eventRule } = leaseArns(region);
  const name = "myeks-lease-1";
  const outputs: Readonly<Record<string, Record<string, unknown>>> = {
    "aws:iam/role:Role": { arn: role, name },
    "aws:sqs/queue:Queue": { arn: queue, url: queueUrl, name },
    "aws:scheduler/scheduleGroup:ScheduleGroup": { arn: group, name },
    "aws:ssm/document:Document": { name: "lease-document-1" },
    "aws:cloudwatch/eventRule:EventRule": { arn: eventRule, name },
  };
  return { call: (token, args) => offline.call(token, args), outputsOf: ({ type }) => outputs[type] ?? {} };
}
