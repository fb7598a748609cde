import * as cloudwatch from "@pulumi/aws/cloudwatch";
import * as ec2 from "@pulumi/aws/ec2";
import * as iam from "@pulumi/aws/iam";
import * as pulumi from "@pulumi/pulumi";
import { transformed } from "../../core/transform";
import { after, partTags, type VpcParts } from "./vpc-parts";

const retentionInDays = 7;

/** Nitro instances, which include all GPU instances, write a record each minute, regardless of the setting. */
const aggregationSeconds = 60;

/** Logs every accepted and rejected flow of the VPC to CloudWatch. */
export function makeFlowLogs(parts: VpcParts, vpc: ec2.Vpc): void {
  const { name, nameTag, transform, options } = parts;
  const tags = partTags(parts, "flow-logs");
  const groupArgs = { namePrefix: `/aws/vpc/${nameTag}/flow-logs-`, retentionInDays, tags };
  const group = new cloudwatch.LogGroup(
    ...transformed(transform.flowLogGroup, `${name}-flow-log-group`, groupArgs, options),
  );
  const { role, policy } = makeRole(parts, vpc, group);
  const args = {
    vpcId: vpc.id,
    trafficType: "ALL",
    logDestinationType: "cloud-watch-logs",
    logDestination: group.arn,
    iamRoleArn: role.arn,
    maxAggregationInterval: aggregationSeconds,
    tags,
  };
  new ec2.FlowLog(...transformed(transform.flowLog, `${name}-flow-log`, args, after(parts, policy)));
}

/**
 * A role that only the flow logs of this account assume, and that writes to the one log group. It cannot create log
 * groups: records that arrive after a destroy would create a new one, outside Pulumi and without a retention period.
 *
 * @see https://docs.aws.amazon.com/vpc/latest/userguide/flow-logs-iam-role.html
 */
function makeRole(parts: VpcParts, vpc: ec2.Vpc, group: cloudwatch.LogGroup) {
  const { name, transform, options } = parts;
  const roleArgs = {
    description: "Writes the flow logs of a VPC",
    assumeRolePolicy: pulumi.jsonStringify({
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Principal: { Service: "vpc-flow-logs.amazonaws.com" },
          Action: "sts:AssumeRole",
          Condition: { StringEquals: { "aws:SourceAccount": vpc.ownerId } },
        },
      ],
    }),
    tags: partTags(parts, "flow-logs"),
  };
  const role = new iam.Role(...transformed(transform.flowLogRole, `${name}-flow-log-role`, roleArgs, options));
  const policyArgs = {
    role: role.id,
    policy: pulumi.jsonStringify({
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Action: ["logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogGroups", "logs:DescribeLogStreams"],
          Resource: pulumi.interpolate`${group.arn}:*`,
        },
      ],
    }),
  };
  const policy = new iam.RolePolicy(
    ...transformed(transform.flowLogRolePolicy, `${name}-flow-log-policy`, policyArgs, options),
  );
  return { role, policy };
}
