import type * as cloudwatch from "@pulumi/aws/cloudwatch";
import * as sqs from "@pulumi/aws/sqs";
import * as pulumi from "@pulumi/pulumi";
import { transformed, type Transform } from "../../core/transform";
import { policyDocument, type PolicyDocument } from "./policy-document";

/** Requests to a queue need TLS. These rules of EventBridge send to it; a role needs a permission of its own. */
export function queueAccess(queueArn: string, ruleArns: readonly string[] = []): PolicyDocument {
  const send = {
    Sid: "SendEvents",
    Effect: "Allow",
    Principal: { Service: "events.amazonaws.com" },
    Action: "sqs:SendMessage",
    Resource: queueArn,
    Condition: { ArnEquals: { "aws:SourceArn": ruleArns } },
  } as const;
  const requireTls = {
    Sid: "RequireTls",
    Effect: "Deny",
    Principal: { AWS: "*" },
    Action: "sqs:*",
    Resource: queueArn,
    Condition: { Bool: { "aws:SecureTransport": "false" } },
  } as const;
  return policyDocument(...(ruleArns.length > 0 ? [send] : []), requireTls);
}

/** Makes the policy of a queue to which these rules of EventBridge send. */
export function makeQueuePolicy(
  name: string,
  queue: sqs.Queue,
  rules: readonly cloudwatch.EventRule[],
  transform: Transform<sqs.QueuePolicyArgs> | undefined,
  options: pulumi.CustomResourceOptions,
): void {
  const policy = pulumi
    .all([queue.arn, pulumi.all(rules.map(({ arn }) => arn))])
    .apply(([queueArn, ruleArns]) => JSON.stringify(queueAccess(queueArn, ruleArns)));
  new sqs.QueuePolicy(...transformed(transform, name, { queueUrl: queue.url, policy }, options));
}
