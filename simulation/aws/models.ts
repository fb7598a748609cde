import type { ResourceModel, ProviderFunction } from "../cloud/model";
import { accountFunctions } from "./account";
import { eventRule, eventTarget, metricAlarm, flowLog, logGroup } from "./cloudwatch";
import { budget } from "./budget";
import { accessEntry, accessPolicyAssociation } from "./eks/access";
import { addon } from "./eks/addon";
import { cluster } from "./eks/cluster";
import { autoscalingGroup, autoscalingTag } from "./eks/nodes/autoscaling";
import { instance } from "./eks/nodes/instances";
import { nodeGroup } from "./eks/nodes/node-group";
import { openIdConnectProvider, podIdentityAssociation } from "./eks/workload-identity";
import { instanceProfile, policy, rolePolicy, rolePolicyAttachment, role } from "./iam/roles";
import { alias, key } from "./kms";
import { launchTemplate } from "./launch-template";
import { ec2Lookups } from "./ec2-lookups";
import { lookupFunctions } from "./lookup-functions";
import { eip, internetGateway, natGateway } from "./network/gateways";
import { defaultRouteTable, route, routeTable, routeTableAssociation } from "./network/routes";
import { defaultSecurityGroup, securityGroup, egressRule, ingressRule } from "./network/security-groups";
import { document, scheduleGroup, schedule } from "./scheduler";
import { queue, queuePolicy } from "./sqs";
import { subnet, vpc } from "./network/vpc";
import { vpcEndpoint } from "./network/vpc-endpoint";

/**
 * The models of AWS resources other than EKS. Error codes and messages are those of the APIs, durations are the usual
 * ones.
 */
export const awsModels: readonly ResourceModel[] = [
  ...[vpc, subnet, internetGateway, eip, natGateway],
  ...[routeTable, defaultRouteTable, route, routeTableAssociation, vpcEndpoint, flowLog],
  ...[securityGroup, defaultSecurityGroup, ingressRule, egressRule, launchTemplate],
  ...[role, rolePolicy, rolePolicyAttachment, policy, instanceProfile],
  ...[key, alias, logGroup, autoscalingTag],
  ...[document, scheduleGroup, schedule, queue, queuePolicy, metricAlarm, budget, eventRule, eventTarget],
];

/** The models of EKS, and of the EC2 resources that EKS creates. */
export const eksModels: readonly ResourceModel[] = [
  ...[cluster, nodeGroup, addon, instance, autoscalingGroup],
  ...[accessEntry, accessPolicyAssociation, podIdentityAssociation, openIdConnectProvider],
];

/** The functions of the provider `aws`. */
export const awsFunctions: Readonly<Record<string, ProviderFunction>> = {
  ...accountFunctions,
  ...lookupFunctions,
  ...ec2Lookups,
};
