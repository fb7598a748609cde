import type { NatGateway, RouteTable, SecurityGroup, SecurityGroupRule, VpcEndpoint } from "@aws-sdk/client-ec2";
import { request, type Aws } from "../../../aws/clients";
import { free, hourly, tagsOf, type Found } from "../found";
import { ec2Kind, readEc2 } from "./ec2-search";
import { step } from "../requests";

/** VPCs with a tag of the stack, or with the name that an environment gives its VPC. */
export const vpcs = ec2Kind({
  kind: "VPC",
  isInNetwork: true,
  type: "aws:ec2/vpc:Vpc",
  list: "Vpcs",
  named: "VPC",
  found: ({ VpcId: id = "", CidrBlock, Tags }, aws) => ({
    ...{ id, detail: CidrBlock, tags: tagsOf(Tags), rate: free, vpc: id },
    steps: [step(aws, "ec2:DeleteVpc", { VpcId: id })],
  }),
});

const subnets = ec2Kind({
  kind: "subnet",
  isInNetwork: true,
  type: "aws:ec2/subnet:Subnet",
  list: "Subnets",
  inVpc: "vpc-id",
  found: ({ SubnetId: id = "", CidrBlock = "", AvailabilityZone = "", VpcId: vpc, Tags }, aws) => ({
    ...{ id, detail: `${CidrBlock}, ${AvailabilityZone}`, tags: tagsOf(Tags), rate: free, vpc },
    steps: [step(aws, "ec2:DeleteSubnet", { SubnetId: id })],
  }),
});

/** Route tables. The VPC deletes its main one. */
const routeTables = ec2Kind({
  kind: "route table",
  isInNetwork: true,
  type: "aws:ec2/routeTable:RouteTable",
  list: "RouteTables",
  inVpc: "vpc-id",
  found: routeTable,
});

function routeTable(
  { RouteTableId: id = "", VpcId: vpc, Tags, Associations = [], Routes = [] }: RouteTable,
  aws: Aws,
): Found {
  const main = Associations.some(({ Main }) => Main === true) ? vpc : undefined;
  const associations = Associations.flatMap(({ RouteTableAssociationId }) => RouteTableAssociationId ?? []);
  return {
    ...{ id, tags: tagsOf(Tags), rate: free, vpc, within: main, isHidden: main !== undefined },
    // What is in the VPC and in no table of its own uses the main one.
    usedBy: [...Associations.map(({ SubnetId, GatewayId }) => SubnetId ?? GatewayId), main],
    uses: Routes.flatMap((to) => [to.GatewayId, to.NatGatewayId, to.NetworkInterfaceId, to.InstanceId]),
    steps: [
      ...associations.map((AssociationId) => step(aws, "ec2:DisassociateRouteTable", { AssociationId })),
      step(aws, "ec2:DeleteRouteTable", { RouteTableId: id }),
    ],
  };
}

const internetGateways = ec2Kind({
  kind: "internet gateway",
  isInNetwork: true,
  type: "aws:ec2/internetGateway:InternetGateway",
  list: "InternetGateways",
  inVpc: "attachment.vpc-id",
  found: ({ InternetGatewayId: id = "", Attachments: [{ VpcId: vpc } = {}] = [], Tags }, aws) => {
    const detach = { InternetGatewayId: id, VpcId: vpc };
    const steps = [step(aws, "ec2:DeleteInternetGateway", { InternetGatewayId: id })];
    if (vpc !== undefined) steps.unshift(step(aws, "ec2:DetachInternetGateway", detach));
    return { id, tags: tagsOf(Tags), rate: free, steps, vpc };
  },
});

/** Flow logs stay when their VPC is deleted. */
const flowLogs = ec2Kind({
  kind: "flow log",
  type: "aws:ec2/flowLog:FlowLog",
  list: "FlowLogs",
  inVpc: "resource-id",
  found: ({ FlowLogId: id = "", ResourceId: vpc, CreationTime, Tags }, aws) => ({
    ...{ id, tags: tagsOf(Tags), vpc, since: CreationTime?.toISOString() },
    rate: { perDay: 0, note: "the cost is listed with the log group" },
    steps: [step(aws, "ec2:DeleteFlowLogs", { FlowLogIds: [id] })],
  }),
});

/** Security groups. The VPC deletes its `default`. Rules that refer to groups are removed first. */
const securityGroups = ec2Kind({
  kind: "security group",
  isInNetwork: true,
  type: "aws:ec2/securityGroup:SecurityGroup",
  list: "SecurityGroups",
  inVpc: "vpc-id",
  reads: ["ec2:DescribeSecurityGroupRules"],
  found: securityGroup,
});

export function readRules(aws: Aws, group: string) {
  return readEc2(aws, [{ Name: "group-id", Values: [group] }], "SecurityGroupRules");
}

async function securityGroup(
  { GroupId: id = "", GroupName, VpcId: vpc, Tags }: SecurityGroup,
  aws: Aws,
): Promise<Found> {
  const rules = await readRules(aws, id);
  const referring = rules.filter(({ ReferencedGroupInfo: group }) => group?.GroupId !== undefined);
  const ingress = ruleIdsOf(referring, false);
  const egress = ruleIdsOf(referring, true);
  const isDefault = GroupName === "default" && vpc !== undefined;
  return {
    ...{ id, detail: GroupName, tags: tagsOf(Tags), rate: free, vpc },
    ...(isDefault && { within: vpc, isHidden: true }),
    uses: referring.map(({ ReferencedGroupInfo: group }) => group?.GroupId),
    steps: [
      ...ingress.map((rules) => step(aws, "ec2:RevokeSecurityGroupIngress", { GroupId: id, ...rules })),
      ...egress.map((rules) => step(aws, "ec2:RevokeSecurityGroupEgress", { GroupId: id, ...rules })),
      step(aws, "ec2:DeleteSecurityGroup", { GroupId: id }),
    ],
  };
}

/** The rules of one request; none without rules. */
function ruleIdsOf(rules: readonly SecurityGroupRule[], isEgress: boolean) {
  const own = rules.filter((rule) => rule.IsEgress === isEgress);
  const SecurityGroupRuleIds = own.flatMap(({ SecurityGroupRuleId }) => SecurityGroupRuleId ?? []);
  return SecurityGroupRuleIds.length === 0 ? [] : [{ SecurityGroupRuleIds }];
}

/** What is in a VPC, in the order in which it is removed. */
export const networkKinds = [securityGroups, routeTables, subnets, internetGateways, flowLogs];

export const natGateways = ec2Kind({
  kind: "NAT gateway",
  isInNetwork: true,
  type: "aws:ec2/natGateway:NatGateway",
  list: "NatGateways",
  ...{ inVpc: "vpc-id", named: "NAT" },
  found: (one, aws) => (one.State === "deleted" ? undefined : natGateway(one, aws)),
});

function natGateway(one: NatGateway, aws: Aws): Found {
  const { NatGatewayId: id = "", State, CreateTime, VpcId: vpc, Tags, SubnetId, NatGatewayAddresses = [] } = one;
  const isGone = async () => {
    const { NatGateways = [] } = await request(aws, "ec2:DescribeNatGateways", { NatGatewayIds: [id] });
    return NatGateways.every(({ State: now }) => now === "deleted");
  };
  return {
    ...{ id, detail: State, tags: tagsOf(Tags), vpc, since: CreateTime?.toISOString() },
    rate: State === "available" || State === "pending" ? hourly(aws.region, "nat-gateway") : free,
    interfaces: NatGatewayAddresses.flatMap(({ NetworkInterfaceId }) => NetworkInterfaceId ?? []),
    uses: [SubnetId, ...NatGatewayAddresses.map(({ AllocationId }) => AllocationId)],
    steps: [step(aws, "ec2:DeleteNatGateway", { NatGatewayId: id })],
    wait: { cli: `ec2 wait nat-gateway-deleted --nat-gateway-ids ${id}`, isOver: isGone },
  };
}

export const addresses = ec2Kind({
  kind: "elastic address",
  type: "aws:ec2/eip:Eip",
  list: "Addresses",
  named: "NAT",
  found: ({ AllocationId: id = "", PublicIp = "", AssociationId, Tags, ...to }, aws) => ({
    ...{ id, tags: tagsOf(Tags), rate: hourly(aws.region, "public-ipv4") },
    usedBy: [to.InstanceId, to.NetworkInterfaceId],
    detail: `${PublicIp}, ${AssociationId === undefined ? "unused" : "in use"}`,
    steps: [step(aws, "ec2:ReleaseAddress", { AllocationId: id })],
  }),
});

export const vpcEndpoints = ec2Kind({
  kind: "VPC endpoint",
  isInNetwork: true,
  type: "aws:ec2/vpcEndpoint:VpcEndpoint",
  list: "VpcEndpoints",
  inVpc: "vpc-id",
  found: (one, aws) => (String(one.State).toLowerCase() === "deleted" ? undefined : vpcEndpoint(one, aws)),
});

function vpcEndpoint(one: VpcEndpoint, aws: Aws): Found {
  const { VpcEndpointId: id = "", VpcEndpointType, SubnetIds = [], RouteTableIds = [], Groups = [] } = one;
  const isInterface = VpcEndpointType === "Interface";
  return {
    ...{ id, detail: one.ServiceName, tags: tagsOf(one.Tags), vpc: one.VpcId },
    since: one.CreationTimestamp?.toISOString(),
    interfaces: one.NetworkInterfaceIds,
    uses: [...SubnetIds, ...RouteTableIds, ...Groups.map(({ GroupId }) => GroupId)],
    rate: isInterface ? hourly(aws.region, "vpc-interface-endpoint", SubnetIds.length) : free,
    steps: [step(aws, "ec2:DeleteVpcEndpoints", { VpcEndpointIds: [id] })],
  };
}
