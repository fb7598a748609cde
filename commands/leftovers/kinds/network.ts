import { ec2Kind } from "./ec2-search";
import type { RouteTable } from "@aws-sdk/client-ec2";
import type { Aws } from "../../../aws/clients";
import { free, tagsOf, type Found } from "../found";
import { step } from "../requests";

/** VPCs with a tag of the stack, or with the name that an environment gives its VPC. */
export const vpcs = ec2Kind({
  kind: "VPC",
  type: "aws:ec2/vpc:Vpc",
  list: "Vpcs",
  named: "VPC",
  found: ({ VpcId: id = "", CidrBlock, Tags }, aws) => ({
    ...{ id, detail: CidrBlock, tags: tagsOf(Tags), rate: free, vpc: id },
    steps: [step(aws, "ec2:DeleteVpc", { VpcId: id })],
  }),
});

export const subnets = ec2Kind({
  kind: "subnet",
  type: "aws:ec2/subnet:Subnet",
  list: "Subnets",
  inVpc: "vpc-id",
  found: ({ SubnetId: id = "", CidrBlock = "", AvailabilityZone = "", VpcId: vpc, Tags }, aws) => ({
    ...{ id, detail: `${CidrBlock}, ${AvailabilityZone}`, tags: tagsOf(Tags), rate: free, vpc },
    steps: [step(aws, "ec2:DeleteSubnet", { SubnetId: id })],
  }),
});

/** Route tables. The VPC deletes its main one. */
export const routeTables = ec2Kind({
  kind: "route table",
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

export const internetGateways = ec2Kind({
  kind: "internet gateway",
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
export const flowLogs = ec2Kind({
  kind: "flow log",
  type: "aws:ec2/flowLog:FlowLog",
  list: "FlowLogs",
  inVpc: "resource-id",
  found: ({ FlowLogId: id = "", ResourceId: vpc, CreationTime, Tags }, aws) => ({
    ...{ id, tags: tagsOf(Tags), vpc, since: CreationTime?.toISOString() },
    rate: { perDay: 0, note: "the log group has the cost" },
    steps: [step(aws, "ec2:DeleteFlowLogs", { FlowLogIds: [id] })],
  }),
});
