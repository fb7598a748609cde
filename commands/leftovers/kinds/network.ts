import type { RouteTable } from "@aws-sdk/client-ec2";
import type { Aws } from "../../../aws/clients";
import { free, tagsOf, type Found } from "../found";
import { step } from "../requests";
import { searchEc2 } from "./ec2-search";
import { kindOf } from "./kind";

/** VPCs with a tag of the stack, or with the name that an environment gives its VPC. */
export const vpcs = kindOf({
  kind: "VPC",
  type: "aws:ec2/vpc:Vpc",
  reads: ["ec2:DescribeVpcs"],
  list: (aws, search) => searchEc2(aws, search, "Vpcs", (ec2, at) => ec2.describeVpcs(at), { named: "VPC" }),
  found: ({ VpcId: id = "", CidrBlock, Tags }, aws) => ({
    ...{ id, detail: CidrBlock, tags: tagsOf(Tags), rate: free, vpc: id },
    steps: [step(aws, "ec2:DeleteVpc", { VpcId: id })],
  }),
});

export const subnets = kindOf({
  kind: "subnet",
  type: "aws:ec2/subnet:Subnet",
  reads: ["ec2:DescribeSubnets"],
  list: (aws, search) => searchEc2(aws, search, "Subnets", (ec2, at) => ec2.describeSubnets(at), { inVpc: "vpc-id" }),
  found: ({ SubnetId: id = "", CidrBlock = "", AvailabilityZone = "", VpcId: vpc, Tags }, aws) => ({
    ...{ id, detail: `${CidrBlock}, ${AvailabilityZone}`, tags: tagsOf(Tags), rate: free, vpc },
    steps: [step(aws, "ec2:DeleteSubnet", { SubnetId: id })],
  }),
});

/** Route tables. The VPC deletes its main one. */
export const routeTables = kindOf({
  kind: "route table",
  type: "aws:ec2/routeTable:RouteTable",
  reads: ["ec2:DescribeRouteTables"],
  list: (aws, search) =>
    searchEc2(aws, search, "RouteTables", (ec2, at) => ec2.describeRouteTables(at), { inVpc: "vpc-id" }),
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

export const internetGateways = kindOf({
  kind: "internet gateway",
  type: "aws:ec2/internetGateway:InternetGateway",
  reads: ["ec2:DescribeInternetGateways"],
  list: (aws, search) =>
    searchEc2(aws, search, "InternetGateways", (ec2, at) => ec2.describeInternetGateways(at), {
      inVpc: "attachment.vpc-id",
    }),
  found: ({ InternetGatewayId: id = "", Attachments: [{ VpcId: vpc } = {}] = [], Tags }, aws) => {
    const detach = { InternetGatewayId: id, VpcId: vpc };
    const steps = [step(aws, "ec2:DeleteInternetGateway", { InternetGatewayId: id })];
    if (vpc !== undefined) steps.unshift(step(aws, "ec2:DetachInternetGateway", detach));
    return { id, tags: tagsOf(Tags), rate: free, steps, vpc };
  },
});

/** Flow logs stay when their VPC is deleted. */
export const flowLogs = kindOf({
  kind: "flow log",
  type: "aws:ec2/flowLog:FlowLog",
  reads: ["ec2:DescribeFlowLogs"],
  list: (aws, search) =>
    searchEc2(
      aws,
      search,
      "FlowLogs",
      (ec2, { Filters: Filter, ...page }) => ec2.describeFlowLogs({ Filter, ...page }),
      { inVpc: "resource-id" },
    ),
  found: ({ FlowLogId: id = "", ResourceId: vpc, CreationTime, Tags }, aws) => ({
    ...{ id, tags: tagsOf(Tags), vpc, since: CreationTime?.toISOString() },
    rate: { perDay: 0, note: "the log group has the cost" },
    steps: [step(aws, "ec2:DeleteFlowLogs", { FlowLogIds: [id] })],
  }),
});
