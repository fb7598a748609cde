import * as cloudwatch from "@pulumi/aws/cloudwatch";
import * as ssm from "@pulumi/aws/ssm";
import type * as sqs from "@pulumi/aws/sqs";
import * as pulumi from "@pulumi/pulumi";
import { iamNamePrefix, allow, policyDocument, type PolicyDocument } from "../cluster/identity/policy-document";
import { instanceClusterTag, nodePoolTags } from "../core/instance-tags";
import { accountIdOf, partitionOf, regionOf } from "../core/lookups";
import type { ValueOf } from "../core/schema";
import { transformed } from "../core/transform";
import { leaseTrust } from "./lease-documents";
import { makeFailureAlarm, makeFailureQueue, restrictQueue } from "./lease-failures";
import type { LeaseParts } from "./lease-parts";
import { makeScheduled, makeSchedules } from "./lease-schedules";
import type { nodePoolLease, NodePoolLeaseTransform } from "./node-pool-lease-schema";

/** The first line runs up to an hour. */
const laterMinutes = 75;

type SecondLine = NonNullable<ValueOf<typeof nodePoolLease>["secondLine"]>;

interface SecondLineParts extends Pick<LeaseParts, "name" | "settings" | "options"> {
  readonly transform: NodePoolLeaseTransform;
}

/**
 * Ends the instances of NodePools without their cluster: EventBridge Scheduler cannot select by tag, so it starts an SSM
 * Automation. What it ends, or why it fails, goes to a queue, and an alarm reports it: the CronJobs did not end the nodes.
 */
export function makeSecondLine(
  parent: pulumi.Resource,
  given: SecondLineParts,
  { clusterName, tags }: SecondLine,
  nodePools: readonly string[],
): void {
  const cluster = pulumi.output(clusterName);
  const namePrefix = cluster.apply((text) => iamNamePrefix(text, "lease"));
  const parts = {
    ...given,
    name: `${given.name}-second-line`,
    namePrefix,
    tags: { Name: pulumi.interpolate`${cluster}-lease`, ...tags },
  };
  const queue = makeFailureQueue(parts);
  makeFailureAlarm(parent, parts, queue, queue.url.apply(alarmText));
  const scheduled = makeScheduled(parent, parts, queue, secondLineTrust);
  const { role } = scheduled;
  const content = pulumi.all([cluster, queue.url, role.arn]).apply(([name, queueUrl, assumeRole]) => {
    return JSON.stringify(
      automation(assumeRole, { clusterName: name, nodePools, nodePoolTags: Object.values(nodePoolTags), queueUrl }),
    );
  });
  const documentArgs = { documentType: "Automation", documentFormat: "JSON", content, tags: parts.tags };
  const document = new ssm.Document(
    ...transformed(given.transform.document, `${parts.name}-document`, documentArgs, given.options),
  );
  restrictQueue(parts, queue, makeFailureRule(given.transform, parts, queue, document));
  const names = pulumi.all([document.name, cluster, role.arn, queue.arn]);
  const permissions = placeOf(parent).apply((at) => names.apply((found) => permissionsFor(at, nodePools, ...found)));
  const inputs = { instances: document.name.apply(startInput) };
  const request = { target: startTarget, inputs, laterMinutes };
  makeSchedules(parent, parts, scheduled, request, permissions);
}

/** Reports an Automation that fails before its script could, such as without its role. */
function makeFailureRule(
  transform: NodePoolLeaseTransform,
  { name, namePrefix, tags, options }: Omit<LeaseParts, "settings">,
  queue: sqs.Queue,
  document: ssm.Document,
): cloudwatch.EventRule {
  const eventPattern = document.name.apply((Definition) =>
    JSON.stringify({
      source: ["aws.ssm"],
      "detail-type": ["EC2 Automation Execution Status-change Notification"],
      detail: { Definition: [Definition], Status: ["Failed", "TimedOut", "Cancelled"] },
    }),
  );
  const ruleArgs = { description: "Failed Automations of a lease", eventPattern, namePrefix, tags };
  const rule = new cloudwatch.EventRule(...transformed(transform.eventRule, `${name}-events`, ruleArgs, options));
  const target = { rule: rule.name, arn: queue.arn };
  new cloudwatch.EventTarget(...transformed(transform.eventTarget, `${name}-events-target`, target, options));
  return rule;
}

/** The beginning of ARNs, by service. */
function placeOf(parent: pulumi.Resource) {
  return pulumi
    .all([partitionOf(parent).partition, regionOf(parent), accountIdOf(parent)])
    .apply(([partition, region, account]) => ({
      ec2: `arn:${partition}:ec2:${region}:${account}`,
      ssm: `arn:${partition}:ssm:${region}:${account}`,
    }));
}

/** What the role of the schedules and of the Automation may do: end instances that have both tags. */
function permissionsFor(
  { ec2, ssm: service }: Readonly<Record<"ec2" | "ssm", string>>,
  nodePools: readonly string[],
  ...[document, clusterName, roleArn, queueArn]: [string, string, string, string]
): PolicyDocument {
  const documents = [`${service}:automation-definition/${document}:*`, `${service}:document/${document}`];
  const tagged = (poolTag: string) => ({
    StringEquals: {
      [`aws:ResourceTag/${instanceClusterTag}`]: clusterName,
      [`aws:ResourceTag/${poolTag}`]: nodePools,
    },
  });
  return policyDocument(
    allow("StartAutomation", ["ssm:StartAutomationExecution"], documents),
    allow("PassRole", ["iam:PassRole"], roleArn, { StringEquals: { "iam:PassedToService": "ssm.amazonaws.com" } }),
    // DescribeInstances has no permissions for single instances.
    allow("FindInstances", ["ec2:DescribeInstances"], "*"),
    ...Object.entries(nodePoolTags).map(([of, tag]) =>
      allow(`EndInstancesOf${of}`, ["ec2:TerminateInstances"], `${ec2}:instance/*`, tagged(tag)),
    ),
    allow("Report", ["sqs:SendMessage"], queueArn),
  );
}

function startTarget(partition: string): string {
  return `arn:${partition}:scheduler:::aws-sdk:ssm:startAutomationExecution`;
}

/** @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html */
function startInput(DocumentName: string): string {
  return JSON.stringify({ DocumentName, Parameters: { ScheduledTime: ["<aws.scheduler.scheduled-time>"] } });
}

const alarmText = (queueUrl: string) =>
  "The lease in the cluster did not terminate its GPU nodes. Its second line did, or failed to. For the details, run: " +
  `aws sqs receive-message --max-number-of-messages 10 --region ${queueUrl.split(".")[1]} --queue-url ${queueUrl}`;

const whatToDo =
  "Terminate the nodes with eks-gpu-lab gpu down. The instances of EKS Auto Mode also terminate when you disable it.";

/** @see https://docs.aws.amazon.com/systems-manager/latest/userguide/cross-service-confused-deputy-prevention.html */
function secondLineTrust(accountId: string, scheduleGroupArn: string): PolicyDocument {
  const [partition = "", region = ""] = [1, 3].map((part) => scheduleGroupArn.split(":")[part]);
  const source = `arn:${partition}:ssm:${region}:${accountId}:automation-execution/*`;
  return policyDocument(...leaseTrust(accountId, scheduleGroupArn).Statement, {
    Sid: "AutomationEndsInstances",
    Effect: "Allow",
    Principal: { Service: "ssm.amazonaws.com" },
    Action: "sts:AssumeRole",
    Condition: { StringEquals: { "aws:SourceAccount": accountId }, ArnLike: { "aws:SourceArn": source } },
  });
}

interface Found {
  readonly clusterName: string;
  readonly nodePools: readonly string[];
  readonly nodePoolTags: readonly string[];
  readonly queueUrl: string;
}

/**
 * A script, because no action of SSM reads several pages, or decides that there is nothing to do.
 * @see https://docs.aws.amazon.com/systems-manager/latest/userguide/automation-action-executeScript.html
 */
function automation(assumeRole: string, InputPayload: Found): object {
  const payload = { ...InputPayload, laterMinutes, scheduledTime: "{{ ScheduledTime }}" };
  const inputs = { Runtime: "python3.11", Handler: "end_instances", InputPayload: payload, Script: script };
  const about = `Such as 2026-12-01T23:15:00Z: terminates only nodes that started at least ${laterMinutes} minutes earlier. If empty: all nodes.`;
  return {
    schemaVersion: "0.3",
    description: "Terminates the GPU nodes that a lease in the cluster did not terminate",
    assumeRole,
    parameters: { ScheduledTime: { type: "String", default: "", description: about } },
    mainSteps: [{ name: "EndInstances", action: "aws:executeScript", timeoutSeconds: 600, isEnd: true, inputs }],
  };
}

/**
 * TerminateInstances ends up to 1000 instances, all or none of a zone: each batch is tried, and the failures are reported.
 *
 * The instances of EKS Auto Mode are managed instances of EC2: an account can hide them, and only EKS can end them.
 * `IncludeManagedResources` shows hidden ones. The boto3 of the runtime may not know that field, so a hook adds it.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/automode-learn-instances.html
 */
const script = `import boto3
from datetime import datetime, timedelta

def end_instances(events, context):
    def report(text):
        boto3.client("sqs").send_message(QueueUrl=events["queueUrl"], MessageBody=text)

    def is_own(instance):
        tags = {tag["Key"]: tag["Value"] for tag in instance["Tags"]}
        return any(tags.get(key) in events["nodePools"] for key in events["nodePoolTags"])

    def is_of_later_session(instance):
        if events["scheduledTime"] == "":
            return False
        scheduled = datetime.fromisoformat(events["scheduledTime"].replace("Z", "+00:00"))
        return instance["LaunchTime"] > scheduled - timedelta(minutes=events["laterMinutes"])

    def show_managed(params, **_):
        params["body"]["IncludeManagedResources"] = "true"

    try:
        ec2 = boto3.client("ec2")
        ec2.meta.events.register("before-call.ec2.DescribeInstances", show_managed)
        pages = ec2.get_paginator("describe_instances").paginate(Filters=[
            {"Name": "tag:${instanceClusterTag}", "Values": [events["clusterName"]]},
            {"Name": "instance-state-name", "Values": ["pending", "running", "stopping", "stopped"]},
        ], PaginationConfig={"PageSize": 500})
        found = [i for page in pages for r in page["Reservations"] for i in r["Instances"]]
        ids = [i["InstanceId"] for i in found if is_own(i) and not is_of_later_session(i)]
        failed = []
        for start in range(0, len(ids), 500):
            batch = ids[start:start + 500]
            try:
                ec2.terminate_instances(InstanceIds=batch)
            except Exception as error:
                failed.append(f"these instances may still run and cost money: {', '.join(batch[:50])}: {error}")
        if failed:
            raise RuntimeError("; ".join(failed))
    except Exception as error:
        report(f"The second line of the lease failed: {error}. ${whatToDo}")
        raise
    if ids:
        report(f"The lease in the cluster did not terminate these instances: {', '.join(ids[:50])}")
    return {"ended": len(ids)}
`;
