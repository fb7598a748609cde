import * as cloudwatch from "@pulumi/aws/cloudwatch";
import * as sqs from "@pulumi/aws/sqs";
import type * as pulumi from "@pulumi/pulumi";
import type { Tags } from "../../core/tokens";
import { transformed, type Transform } from "../../core/transform";
import upstream from "../../vendor/karpenter-policy.json";
import { makeQueuePolicy } from "../identity/queue-policy";

/** Adjusts the queue of interruptions and what sends to it. */
export interface KarpenterQueueTransform {
  readonly queue?: Transform<sqs.QueueArgs>;
  readonly queuePolicy?: Transform<sqs.QueuePolicyArgs>;
  /** Applies to each rule: `<name>-events-<event>`. */
  readonly eventRule?: Transform<cloudwatch.EventRuleArgs>;
  readonly eventTarget?: Transform<cloudwatch.EventTargetArgs>;
}

interface QueueSpec {
  readonly name: string;
  readonly namePrefix: pulumi.Output<string>;
  readonly tags: Tags;
  readonly transform: KarpenterQueueTransform;
  readonly options: pulumi.CustomResourceOptions;
}

/** An event is useless after the two minutes between the warning and the end of a spot instance. */
const retentionSeconds = 300;

/**
 * The queue from which Karpenter reads that EC2 will interrupt an instance, and the rules of EventBridge that send it. Without
 * it, Karpenter learns of an interruption when the node is gone.
 *
 * @see https://karpenter.sh/v1.14/concepts/disruption/#interruption
 */
export function makeInterruptionQueue({ name, namePrefix, tags, transform, options }: QueueSpec): sqs.Queue {
  const args = { namePrefix, sqsManagedSseEnabled: true, messageRetentionSeconds: retentionSeconds, tags };
  const queue = new sqs.Queue(...transformed(transform.queue, `${name}-interruptions`, args, options));
  const rules = upstream.events.map(({ name: event, source, detailType }) => {
    const eventPattern = JSON.stringify({ source: [source], "detail-type": [detailType] });
    const ruleArgs = { description: `${detailType} for Karpenter`, eventPattern, namePrefix, tags };
    const ruleName = `${name}-events-${event}`;
    const rule = new cloudwatch.EventRule(...transformed(transform.eventRule, ruleName, ruleArgs, options));
    const target = { rule: rule.name, arn: queue.arn };
    new cloudwatch.EventTarget(...transformed(transform.eventTarget, `${ruleName}-target`, target, options));
    return rule;
  });
  // Karpenter's own policy lets every rule of every account send.
  makeQueuePolicy(`${name}-interruptions-policy`, queue, rules, transform.queuePolicy, options);
  return queue;
}
