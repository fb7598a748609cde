import type { Properties } from "../../../components/core/wire";
import type { ApiRequest, Row } from "./row";

const queueAttributes = {
  sqsManagedSseEnabled: "SqsManagedSseEnabled",
  messageRetentionSeconds: "MessageRetentionPeriod",
};

export const otherRows: Readonly<Record<string, Row>> = {
  "aws:cloudwatch/logGroup:LogGroup": {
    requests: [
      { service: "logs", operation: "CreateLogGroup", members: { name: "logGroupName" } },
      {
        ...{ service: "logs", operation: "PutRetentionPolicy", only: ["retentionInDays"] },
        computed: [{ from: [], params: ({ name }) => ({ logGroupName: name }) }],
        when: ({ retentionInDays }) => retentionInDays !== undefined,
      },
    ],
  },
  "aws:cloudwatch/metricAlarm:MetricAlarm": {
    requests: [{ service: "cloudwatch", operation: "PutMetricAlarm", members: { name: "AlarmName" } }],
  },
  "aws:cloudwatch/eventRule:EventRule": {
    requests: [{ service: "events", operation: "PutRule" }],
  },
  "aws:cloudwatch/eventTarget:EventTarget": {
    requests: [
      {
        ...{ service: "events", operation: "PutTargets", only: ["rule"] },
        computed: [{ from: ["arn"], params: ({ arn }) => ({ Targets: [{ Id: "1", Arn: arn }] }) }],
      },
    ],
  },
  "aws:kms/key:Key": {
    requests: [
      { service: "kms", operation: "CreateKey" },
      withKeyId("EnableKeyRotation", { only: [], when: ({ enableKeyRotation }) => enableKeyRotation === true }),
      withKeyId("ScheduleKeyDeletion", {
        ...{ only: ["deletionWindowInDays"], members: { deletionWindowInDays: "PendingWindowInDays" } },
      }),
    ],
    notSent: { enableKeyRotation: "it decides whether EnableKeyRotation is sent" },
    policies: { policy: "resource" },
  },
  "aws:kms/alias:Alias": { requests: [{ service: "kms", operation: "CreateAlias", members: { name: "AliasName" } }] },
  "aws:autoscaling/tag:Tag": {
    requests: [
      {
        ...{ service: "autoscaling", operation: "CreateOrUpdateTags", only: [] },
        computed: [
          {
            from: ["tag", "autoscalingGroupName"],
            params: ({ tag, autoscalingGroupName: ResourceId }) => {
              const { key: Key, value: Value, propagateAtLaunch: PropagateAtLaunch } = tag as Record<string, unknown>;
              return { Tags: [{ ResourceId, ResourceType: "auto-scaling-group", Key, Value, PropagateAtLaunch }] };
            },
          },
        ],
      },
    ],
  },
  "aws:scheduler/scheduleGroup:ScheduleGroup": {
    requests: [{ service: "scheduler", operation: "CreateScheduleGroup" }],
  },
  "aws:scheduler/schedule:Schedule": {
    requests: [
      { service: "scheduler", operation: "CreateSchedule" },
      sentBySchedule("eks", "UpdateNodegroupConfig"),
      sentBySchedule("ssm", "StartAutomationExecution"),
    ],
  },
  "aws:ssm/document:Document": {
    requests: [
      {
        ...{ service: "ssm", operation: "CreateDocument" },
        // The provider's own name, which has no prefix of AWS.
        computed: [{ from: [], params: (_inputs, { name }) => ({ Name: `${name}-1a2b3c4` }) }],
      },
    ],
  },
  "aws:sqs/queue:Queue": {
    requests: [
      {
        ...{ service: "sqs", operation: "CreateQueue", members: { name: "QueueName" } },
        computed: [
          {
            from: Object.keys(queueAttributes),
            params: (inputs) => ({
              Attributes: Object.fromEntries(
                Object.entries(queueAttributes).map(([input, name]) => [name, String(inputs[input])]),
              ),
            }),
          },
        ],
      },
    ],
  },
  "aws:sqs/queuePolicy:QueuePolicy": {
    requests: [
      {
        ...{ service: "sqs", operation: "SetQueueAttributes" },
        computed: [{ from: ["policy"], params: ({ policy }) => ({ Attributes: { Policy: policy } }) }],
      },
    ],
    policies: { policy: "resource" },
  },
};

function withKeyId(operation: string, more: Partial<ApiRequest>): ApiRequest {
  const KeyId = "1234abcd-12ab-34cd-56ef-1234567890ab";
  return { service: "kms", operation, ...more, computed: [{ from: [], params: () => ({ KeyId }) }] };
}

/** The request that a schedule sends with its universal target. */
function sentBySchedule(service: string, operation: string): ApiRequest {
  const targetOf = ({ target }: Properties) => target as { readonly arn: string; readonly input: string };
  return {
    ...{ service, operation, isPascalCase: true, only: [] },
    when: (inputs) => targetOf(inputs).arn.toLowerCase().endsWith(`:${service}:${operation.toLowerCase()}`),
    computed: [{ from: [], params: (inputs) => JSON.parse(targetOf(inputs).input) as object }],
  };
}
