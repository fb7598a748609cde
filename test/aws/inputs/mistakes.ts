import { allow, policyDocument, trust } from "../../../components/cluster/identity/policy-document";
import { unknownSentinel } from "../../../components/core/wire";
import type { PlannedResource } from "../../support/aws-requests/row";

const role = { name: "a", assumeRolePolicy: JSON.stringify(trust("Trust", "ec2.amazonaws.com")) };
const rule = { securityGroupId: "sg-1", ipProtocol: "tcp", cidrIpv4: "10.0.0.0/8", fromPort: 1, toPort: 2 };
const group = { clusterName: "myeks", nodeGroupName: "gpu", nodeRoleArn: "arn:aws:iam::123456789012:role/a" };
const target = { arn: "arn:aws:scheduler:::aws-sdk:eks:updateNodegroupConfig", roleArn: group.nodeRoleArn };
const schedule = { name: "a", scheduleExpression: "at(2026-12-01T00:00:00)", flexibleTimeWindow: { mode: "OFF" } };
const inputOf = (ScalingConfig: object) =>
  JSON.stringify({ ClusterName: "myeks", NodegroupName: "gpu", ScalingConfig });

type Wrong = Omit<PlannedResource, "name">;

/** One mistake in the inputs of a resource, and how it is reported. */
export const mistakes: [string, Wrong, RegExp][] = [
  [
    "a value outside of an enum",
    { type: "aws:eks/nodeGroup:NodeGroup", inputs: { ...group, subnetIds: ["subnet-1"], capacityType: "ON-DEMAND" } },
    /^CreateNodegroup\.capacityType: 'ON-DEMAND' is not one of ON_DEMAND, SPOT/,
  ],
  ["a missing member", { type: "aws:eks/nodeGroup:NodeGroup", inputs: group }, /^CreateNodegroup: subnets is missing$/],
  [
    "a name that is too long",
    { type: "aws:iam/role:Role", inputs: { ...role, name: "a".repeat(65) } },
    /^CreateRole\.RoleName: .* is above the maximum of 64$/,
  ],
  [
    "a prefix that is too long with its digits",
    { type: "aws:iam/role:Role", inputs: { assumeRolePolicy: role.assumeRolePolicy, namePrefix: "a".repeat(39) } },
    /^CreateRole\.RoleName: .* is above the maximum of 64$/,
  ],
  [
    "a name with another character",
    { type: "aws:cloudwatch/logGroup:LogGroup", inputs: { name: "a:b" } },
    /^CreateLogGroup\.logGroupName: 'a:b' does not match/,
  ],
  [
    "a number of another type, deep inside",
    {
      type: "aws:eks/nodeGroup:NodeGroup",
      inputs: { ...group, subnetIds: ["subnet-1"], scalingConfig: { maxSize: "2" } },
    },
    /^CreateNodegroup\.scalingConfig\.maxSize: '2' is not a integer$/,
  ],
  [
    "an input that no member takes",
    {
      type: "aws:ec2/launchTemplate:LaunchTemplate",
      inputs: { name: "lab", metadataOptions: { httpTokn: "required" } },
    },
    /^CreateLaunchTemplate: metadataOptions\.httpTokn is no member/,
  ],
  [
    "an input that no request has",
    {
      type: "aws:ec2/defaultRouteTable:DefaultRouteTable",
      inputs: { defaultRouteTableId: "rtb-1", tags: { a: "b" }, vpcId: "vpc-1" },
    },
    /^vpcId is in no request$/,
  ],
  [
    "a size in the input of a target that EKS rejects",
    {
      type: "aws:scheduler/schedule:Schedule",
      inputs: { ...schedule, target: { ...target, input: inputOf({ MaxSize: 0 }) } },
    },
    /^UpdateNodegroupConfig\.ScalingConfig\.MaxSize: 0 is below the minimum of 1$/,
  ],
  [
    "keys in the input of a target that Scheduler does not read",
    {
      type: "aws:scheduler/schedule:Schedule",
      inputs: { ...schedule, target: { ...target, input: inputOf({ maxSize: 1 }) } },
    },
    /^UpdateNodegroupConfig\.ScalingConfig: maxSize is unknown$/,
  ],
  [
    "an action that IAM does not have",
    {
      type: "aws:iam/rolePolicy:RolePolicy",
      inputs: {
        name: "a",
        role: "a",
        policy: JSON.stringify(policyDocument(allow("Scale", ["eks:ScaleNodegroup"], "*"))),
      },
    },
    /^inline policy: eks:ScaleNodegroup: IAM has no such action$/,
  ],
  [
    "a port as text",
    { type: "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", inputs: { ...rule, fromPort: "1" } },
    /^AuthorizeSecurityGroupIngress\.IpPermissions\[0\]\.FromPort: '1' is not a integer$/,
  ],
  [
    "an unknown value",
    { type: "aws:iam/role:Role", inputs: { ...role, name: unknownSentinel } },
    /^a value is unknown/,
  ],
  ["a type without a row", { type: "aws:s3/bucket:Bucket", inputs: {} }, /^the type has no row/],
];
