import * as cloudwatch from "@pulumi/aws/cloudwatch";
import * as sqs from "@pulumi/aws/sqs";
import * as pulumi from "@pulumi/pulumi";
import { regionOf } from "../core/lookups";
import { transformed } from "../core/transform";
import { makeQueuePolicy } from "../cluster/identity/queue-policy";
import type { LeaseParts } from "./lease-parts";

// What happens when a schedule cannot end the nodes: its request is kept, and an alarm reports it.

/**
 * An alarm sends a message only when its state changes: it has to end before the next night can fail. Requests fail for up to
 * four hours, so a message is gone a day later.
 */
const retentionSeconds = 18 * 60 * 60;

/** The dead-letter queue of all schedules: encrypted with the key of SQS, which needs no key policy. */
export function makeFailureQueue({ name, transform, namePrefix, tags, options }: LeaseParts): sqs.Queue {
  const queueArgs = { namePrefix, sqsManagedSseEnabled: true, messageRetentionSeconds: retentionSeconds, tags };
  return new sqs.Queue(...transformed(transform.queue, `${name}-failures`, queueArgs, options));
}

/** Which rules may send to the queue; the role has a permission of its own. */
export function restrictQueue(
  { name, transform, options }: LeaseParts,
  queue: sqs.Queue,
  ...rules: readonly cloudwatch.EventRule[]
): void {
  makeQueuePolicy(`${name}-failures-policy`, queue, rules, transform.queuePolicy, options);
}

/** Whether no topic gets a message of the alarm. */
function isSilent({ alarmTopicArns }: LeaseParts["settings"]): boolean {
  return Array.isArray(alarmTopicArns) && alarmTopicArns.length === 0;
}

/** What a lease without topics does, and how to get an email. A topic must be in the region of its alarm. */
const silentText = (region: string) =>
  "The lease does not send you a message if it cannot terminate the GPU nodes: alarmTopicArns is empty. " +
  `For an email, run aws sns create-topic --name gpu-labs --region ${region}, then aws sns subscribe --region ${region} ` +
  "--topic-arn ARN --protocol email --notification-endpoint ADDRESS with the ARN that it prints, and confirm the email of " +
  "AWS. Then set alarmTopicArns: in a lab stack, pulumi config set --path 'lease.alarmTopicArns[0]' ARN.";

/** SQS reports its metrics every five minutes at most, and none for an empty queue that is not used. */
export function makeFailureAlarm(
  parent: pulumi.Resource,
  { name, settings, transform, tags, options }: LeaseParts,
  queue: sqs.Queue,
  alarmDescription: pulumi.Input<string>,
): cloudwatch.MetricAlarm {
  if (isSilent(settings)) regionOf(parent).apply((at) => void pulumi.log.info(silentText(at), parent));
  const args: cloudwatch.MetricAlarmArgs = {
    // PutMetricAlarm overwrites an alarm of the same name; the name of the queue is unique.
    name: queue.name,
    alarmDescription,
    namespace: "AWS/SQS",
    metricName: "ApproximateNumberOfMessagesVisible",
    dimensions: { QueueName: queue.name },
    statistic: "Maximum",
    period: 300,
    evaluationPeriods: 1,
    comparisonOperator: "GreaterThanThreshold",
    threshold: 0,
    treatMissingData: "notBreaching",
    alarmActions: settings.alarmTopicArns as pulumi.Input<string>[],
    tags,
  };
  return new cloudwatch.MetricAlarm(...transformed(transform.alarm, `${name}-failed`, args, options));
}
