import type { EvaluationResult } from "@aws-sdk/client-iam";
import type { ActionDecision } from "../../components/preflight/preflight-facts";
import type { Aws } from "../clients";
import type { Identity } from "./caller";

const tags = ["ec2:CreateTags", "ec2:DeleteTags"];
const securityGroup = [
  ...["ec2:CreateSecurityGroup", "ec2:DeleteSecurityGroup", "ec2:DescribeSecurityGroups"],
  ...["ec2:DescribeSecurityGroupRules", "ec2:RevokeSecurityGroupEgress", ...tags],
];
const role = [
  ...["iam:CreateRole", "iam:DeleteRole", "iam:GetRole", "iam:TagRole", "iam:PassRole"],
  ...["iam:ListRolePolicies", "iam:ListAttachedRolePolicies", "iam:ListInstanceProfilesForRole"],
];
const attachment = ["iam:AttachRolePolicy", "iam:DetachRolePolicy", "iam:ListAttachedRolePolicies"];
const route = ["ec2:CreateRoute", "ec2:DeleteRoute", "ec2:DescribeRouteTables"];
const logGroup = [
  ...["logs:CreateLogGroup", "logs:DeleteLogGroup", "logs:DescribeLogGroups", "logs:PutRetentionPolicy"],
  ...["logs:ListTagsForResource", "logs:TagResource"],
];
const cluster = [
  ...["eks:CreateCluster", "eks:DeleteCluster", "eks:DescribeCluster", "eks:DescribeUpdate"],
  ...["eks:UpdateClusterConfig", "eks:UpdateClusterVersion", "eks:TagResource", "iam:PassRole"],
];
const accessEntry = ["eks:CreateAccessEntry", "eks:DeleteAccessEntry", "eks:DescribeAccessEntry"];

/**
 * The IAM actions with which Pulumi's AWS provider creates, reads, tags and deletes a resource, by its type.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/security-iam-id-based-policy-examples.html
 */
export const actionsByType: Readonly<Record<string, readonly string[]>> = {
  "aws:autoscaling/tag:Tag": ["autoscaling:CreateOrUpdateTags", "autoscaling:DeleteTags", "autoscaling:DescribeTags"],
  "aws:cloudwatch/logGroup:LogGroup": logGroup,
  "aws:cloudwatch/metricAlarm:MetricAlarm": [
    ...["cloudwatch:PutMetricAlarm", "cloudwatch:DeleteAlarms", "cloudwatch:DescribeAlarms"],
    ...["cloudwatch:ListTagsForResource", "cloudwatch:TagResource"],
  ],
  "aws:ec2/defaultRouteTable:DefaultRouteTable": [...route, ...tags],
  "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": [
    ...["ec2:DescribeSecurityGroups", "ec2:RevokeSecurityGroupIngress", "ec2:RevokeSecurityGroupEgress", ...tags],
  ],
  "aws:ec2/eip:Eip": ["ec2:AllocateAddress", "ec2:ReleaseAddress", "ec2:DescribeAddresses", ...tags],
  "aws:ec2/flowLog:FlowLog": [
    "ec2:CreateFlowLogs",
    "ec2:DeleteFlowLogs",
    "ec2:DescribeFlowLogs",
    "iam:PassRole",
    ...tags,
  ],
  "aws:ec2/internetGateway:InternetGateway": [
    ...["ec2:CreateInternetGateway", "ec2:DeleteInternetGateway", "ec2:DescribeInternetGateways"],
    ...["ec2:AttachInternetGateway", "ec2:DetachInternetGateway", ...tags],
  ],
  "aws:ec2/launchTemplate:LaunchTemplate": [
    ...["ec2:CreateLaunchTemplate", "ec2:CreateLaunchTemplateVersion", "ec2:ModifyLaunchTemplate"],
    ...["ec2:DeleteLaunchTemplate", "ec2:DescribeLaunchTemplates", "ec2:DescribeLaunchTemplateVersions"],
    ...["ec2:RunInstances", ...tags],
  ],
  "aws:ec2/natGateway:NatGateway": [
    ...["ec2:CreateNatGateway", "ec2:DeleteNatGateway", "ec2:DescribeNatGateways", ...tags],
  ],
  "aws:ec2/route:Route": route,
  "aws:ec2/routeTable:RouteTable": [
    ...["ec2:CreateRouteTable", "ec2:DeleteRouteTable", "ec2:DescribeRouteTables", ...tags],
  ],
  "aws:ec2/routeTableAssociation:RouteTableAssociation": [
    ...["ec2:AssociateRouteTable", "ec2:DisassociateRouteTable", "ec2:DescribeRouteTables"],
  ],
  "aws:ec2/securityGroup:SecurityGroup": securityGroup,
  "aws:ec2/subnet:Subnet": [
    ...["ec2:CreateSubnet", "ec2:DeleteSubnet", "ec2:DescribeSubnets", "ec2:ModifySubnetAttribute", ...tags],
  ],
  "aws:ec2/vpc:Vpc": [
    ...["ec2:CreateVpc", "ec2:DeleteVpc", "ec2:DescribeVpcs", "ec2:DescribeVpcAttribute", "ec2:ModifyVpcAttribute"],
    ...tags,
  ],
  "aws:ec2/vpcEndpoint:VpcEndpoint": [
    ...["ec2:CreateVpcEndpoint", "ec2:DeleteVpcEndpoints", "ec2:DescribeVpcEndpoints", "ec2:ModifyVpcEndpoint"],
    ...["ec2:DescribePrefixLists", ...tags],
  ],
  "aws:eks/accessEntry:AccessEntry": accessEntry,
  "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": [
    ...["eks:AssociateAccessPolicy", "eks:DisassociateAccessPolicy", "eks:ListAssociatedAccessPolicies"],
  ],
  "aws:eks/addon:Addon": [
    ...["eks:CreateAddon", "eks:DeleteAddon", "eks:DescribeAddon", "eks:DescribeAddonVersions", "eks:UpdateAddon"],
    ...["eks:TagResource"],
  ],
  "aws:eks/nodeGroup:NodeGroup": [
    ...["eks:CreateNodegroup", "eks:DeleteNodegroup", "eks:DescribeNodegroup", "eks:UpdateNodegroupConfig"],
    ...["eks:UpdateNodegroupVersion", "eks:DescribeUpdate", "eks:TagResource", "iam:PassRole"],
  ],
  "aws:eks/podIdentityAssociation:PodIdentityAssociation": [
    ...["eks:CreatePodIdentityAssociation", "eks:DeletePodIdentityAssociation", "eks:DescribePodIdentityAssociation"],
    ...["eks:TagResource", "iam:PassRole"],
  ],
  "aws:iam/openIdConnectProvider:OpenIdConnectProvider": [
    ...["iam:CreateOpenIDConnectProvider", "iam:DeleteOpenIDConnectProvider", "iam:GetOpenIDConnectProvider"],
    ...["iam:TagOpenIDConnectProvider"],
  ],
  "aws:iam/policy:Policy": [
    ...["iam:CreatePolicy", "iam:DeletePolicy", "iam:GetPolicy", "iam:GetPolicyVersion", "iam:ListPolicyVersions"],
    ...["iam:TagPolicy"],
  ],
  "aws:iam/role:Role": role,
  "aws:iam/rolePolicy:RolePolicy": ["iam:PutRolePolicy", "iam:DeleteRolePolicy", "iam:GetRolePolicy"],
  "aws:iam/rolePolicyAttachment:RolePolicyAttachment": attachment,
  "aws:kms/alias:Alias": ["kms:CreateAlias", "kms:DeleteAlias", "kms:ListAliases"],
  "aws:kms/key:Key": [
    ...["kms:CreateKey", "kms:DescribeKey", "kms:EnableKeyRotation", "kms:GetKeyPolicy", "kms:GetKeyRotationStatus"],
    ...["kms:ListResourceTags", "kms:PutKeyPolicy", "kms:ScheduleKeyDeletion", "kms:TagResource", "kms:CreateGrant"],
  ],
  "aws:scheduler/schedule:Schedule": [
    ...["scheduler:CreateSchedule", "scheduler:DeleteSchedule", "scheduler:GetSchedule", "scheduler:UpdateSchedule"],
    ...["iam:PassRole"],
  ],
  "aws:scheduler/scheduleGroup:ScheduleGroup": [
    ...["scheduler:CreateScheduleGroup", "scheduler:DeleteScheduleGroup", "scheduler:GetScheduleGroup"],
    ...["scheduler:ListTagsForResource", "scheduler:TagResource"],
  ],
  "aws:sqs/queue:Queue": [
    ...["sqs:CreateQueue", "sqs:DeleteQueue", "sqs:GetQueueAttributes", "sqs:ListQueueTags", "sqs:SetQueueAttributes"],
    ...["sqs:TagQueue"],
  ],
  "aws:sqs/queuePolicy:QueuePolicy": ["sqs:SetQueueAttributes", "sqs:GetQueueAttributes"],
  "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": [
    ...["ec2:AuthorizeSecurityGroupEgress", "ec2:RevokeSecurityGroupEgress", "ec2:DescribeSecurityGroupRules", ...tags],
  ],
  "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": [
    ...["ec2:AuthorizeSecurityGroupIngress", "ec2:RevokeSecurityGroupIngress", "ec2:DescribeSecurityGroupRules"],
    ...tags,
  ],
  // A component of another package: it creates the cluster, its role, its security groups and its access entries.
  "eks:index:Cluster": [
    ...[...cluster, ...accessEntry, ...role, ...attachment, ...securityGroup],
    ...["ec2:AuthorizeSecurityGroupIngress", "ec2:AuthorizeSecurityGroupEgress", "ec2:RevokeSecurityGroupIngress"],
  ],
};

/** The actions that resources of these types need, in alphabetical order, and the types of AWS that the table lacks. */
export function actionsOf(types: readonly string[]): { readonly actions: string[]; readonly unknown: string[] } {
  const distinct = [...new Set(types)].sort();
  const actions = new Set(distinct.flatMap((type) => actionsByType[type] ?? []));
  return {
    actions: [...actions].sort(),
    unknown: distinct.filter((type) => /^(?:aws|eks):/.test(type) && !Object.hasOwn(actionsByType, type)),
  };
}

/** IAM evaluates a limited number of actions at once. */
const actionsPerRequest = 50;

/**
 * Asks IAM whether the identity may perform these actions.
 *
 * @param resource an ARN @default every resource
 * @throws AwsError
 */
export async function readPermissions(
  clients: Aws,
  { arn }: Identity,
  actions: readonly string[],
  resource?: string,
): Promise<ActionDecision[]> {
  const decisions: ActionDecision[] = [];
  for (let from = 0; from < actions.length; from += actionsPerRequest) {
    const results = await clients.list("iam:SimulatePrincipalPolicy", "EvaluationResults", {
      ...{ PolicySourceArn: arn, ActionNames: actions.slice(from, from + actionsPerRequest) },
      ...(resource !== undefined && { ResourceArns: [resource] }),
    });
    decisions.push(...results.map(decisionOf));
  }
  return decisions;
}

function decisionOf(result: EvaluationResult): ActionDecision {
  const { EvalActionName: action = "", EvalDecision: decision } = result;
  if (decision === "allowed") return { action, decision: "allowed" };
  const isLimited =
    result.OrganizationsDecisionDetail?.AllowedByOrganizations === false ||
    result.PermissionsBoundaryDecisionDetail?.AllowedByPermissionsBoundary === false;
  if (isLimited) return { action, decision: "boundary" };
  // The simulation takes a condition on a value that it does not know, such as MFA, as it comes.
  const isCertain = (result.MissingContextValues ?? []).length === 0;
  return { action, decision: decision === "explicitDeny" && isCertain ? "denied" : "not-granted" };
}
