import type { FlowLog, InternetGateway, RouteTable, Subnet, Vpc } from "@aws-sdk/client-ec2";
import type { Aws } from "../aws";
import { free, sinceOf, tagsOf, type Found } from "../found";
import { failIfRejected, nameFilter, searchEc2, step, tagFilters, vpcFilters } from "./ec2-search";
import type { Kind } from "./kind";

/** VPCs with a tag of the stack, or with the name that an environment gives its VPC. */
export const vpcs: Kind = {
  kind: "VPC",
  type: "aws:ec2/vpc:Vpc",
  reads: ["ec2:DescribeVpcs"],
  read: async (aws, search) => {
    const ec2 = await aws.ec2();
    const found = await searchEc2<Vpc>(
      [...tagFilters(search), ...nameFilter(search, "VPC")],
      async (Filters, token) => {
        const { Vpcs, NextToken } = await ec2.describeVpcs({ Filters, ...token });
        return { items: Vpcs, next: NextToken };
      },
    );
    return found.map(({ VpcId: id = "", CidrBlock = "", Tags }) => ({
      ...{ id, detail: CidrBlock, tags: tagsOf(Tags), rate: free, vpc: id },
      steps: [step(aws, `delete-vpc --vpc-id ${id}`, "DeleteVpc", (on) => on.deleteVpc({ VpcId: id }))],
    }));
  },
};

export const subnets: Kind = {
  kind: "subnet",
  type: "aws:ec2/subnet:Subnet",
  reads: ["ec2:DescribeSubnets"],
  read: async (aws, search) => {
    const ec2 = await aws.ec2();
    const found = await searchEc2<Subnet>([...tagFilters(search), ...vpcFilters(search)], async (Filters, token) => {
      const { Subnets, NextToken } = await ec2.describeSubnets({ Filters, ...token });
      return { items: Subnets, next: NextToken };
    });
    return found.map(({ SubnetId: id = "", CidrBlock = "", AvailabilityZone = "", VpcId, Tags }) => ({
      ...{ id, detail: `${CidrBlock}, ${AvailabilityZone}`, tags: tagsOf(Tags), rate: free },
      ...(VpcId !== undefined && { vpc: VpcId }),
      steps: [step(aws, `delete-subnet --subnet-id ${id}`, "DeleteSubnet", (on) => on.deleteSubnet({ SubnetId: id }))],
    }));
  },
};

/** Route tables. The VPC deletes its main one. */
export const routeTables: Kind = {
  kind: "route table",
  type: "aws:ec2/routeTable:RouteTable",
  reads: ["ec2:DescribeRouteTables"],
  read: async (aws, search) => {
    const ec2 = await aws.ec2();
    const found = await searchEc2<RouteTable>(
      [...tagFilters(search), ...vpcFilters(search)],
      async (Filters, token) => {
        const { RouteTables, NextToken } = await ec2.describeRouteTables({ Filters, ...token });
        return { items: RouteTables, next: NextToken };
      },
    );
    return found.map((one) => routeTable(aws, one));
  },
};

function routeTable(
  aws: Aws,
  { RouteTableId: id = "", VpcId, Tags, Associations = [], Routes = [] }: RouteTable,
): Found {
  const isMain = Associations.some(({ Main }) => Main === true);
  const associations = Associations.flatMap(({ RouteTableAssociationId }) => RouteTableAssociationId ?? []);
  return {
    ...{ id, tags: tagsOf(Tags), rate: free },
    ...(VpcId !== undefined && { vpc: VpcId }),
    ...(isMain && VpcId !== undefined && { within: VpcId, isHidden: true }),
    // What is in the VPC and in no table of its own uses the main one.
    usedBy: [
      ...Associations.flatMap(({ SubnetId, GatewayId }) => SubnetId ?? GatewayId ?? []),
      ...(isMain ? [VpcId ?? ""] : []),
    ],
    uses: Routes.flatMap((to) => [to.GatewayId, to.NatGatewayId, to.NetworkInterfaceId, to.InstanceId]).flatMap(
      (target) => target ?? [],
    ),
    steps: [
      ...associations.map((AssociationId) =>
        step(aws, `disassociate-route-table --association-id ${AssociationId}`, "DisassociateRouteTable", (on) =>
          on.disassociateRouteTable({ AssociationId }),
        ),
      ),
      step(aws, `delete-route-table --route-table-id ${id}`, "DeleteRouteTable", (on) =>
        on.deleteRouteTable({ RouteTableId: id }),
      ),
    ],
  };
}

export const internetGateways: Kind = {
  kind: "internet gateway",
  type: "aws:ec2/internetGateway:InternetGateway",
  reads: ["ec2:DescribeInternetGateways"],
  read: async (aws, search) => {
    const ec2 = await aws.ec2();
    const found = await searchEc2<InternetGateway>(
      [...tagFilters(search), ...vpcFilters(search, "attachment.vpc-id")],
      async (Filters, token) => {
        const { InternetGateways, NextToken } = await ec2.describeInternetGateways({ Filters, ...token });
        return { items: InternetGateways, next: NextToken };
      },
    );
    return found.map(({ InternetGatewayId: id = "", Attachments = [], Tags }) => {
      const vpc = Attachments[0]?.VpcId;
      const named = `--internet-gateway-id ${id}`;
      const detach = step(aws, `detach-internet-gateway ${named} --vpc-id ${vpc}`, "DetachInternetGateway", (on) =>
        on.detachInternetGateway({ InternetGatewayId: id, VpcId: vpc }),
      );
      const remove = step(aws, `delete-internet-gateway ${named}`, "DeleteInternetGateway", (on) =>
        on.deleteInternetGateway({ InternetGatewayId: id }),
      );
      const steps = vpc === undefined ? [remove] : [detach, remove];
      return { ...{ id, tags: tagsOf(Tags), rate: free, steps }, ...(vpc !== undefined && { vpc }) };
    });
  },
};

/** Flow logs stay when their VPC is deleted. */
export const flowLogs: Kind = {
  kind: "flow log",
  type: "aws:ec2/flowLog:FlowLog",
  reads: ["ec2:DescribeFlowLogs"],
  read: async (aws, search) => {
    const ec2 = await aws.ec2();
    const found = await searchEc2<FlowLog>(
      [...tagFilters(search), ...vpcFilters(search, "resource-id")],
      async (Filter, token) => {
        const { FlowLogs, NextToken } = await ec2.describeFlowLogs({ Filter, ...token });
        return { items: FlowLogs, next: NextToken };
      },
    );
    return found.map(({ FlowLogId: id = "", ResourceId, CreationTime, Tags }) => ({
      ...{ id, tags: tagsOf(Tags), rate: { perDay: 0, note: "the log group has the cost" } },
      ...sinceOf(CreationTime),
      ...(ResourceId !== undefined && { vpc: ResourceId }),
      steps: [
        step(aws, `delete-flow-logs --flow-log-ids ${id}`, "DeleteFlowLogs", async (on) =>
          failIfRejected(await on.deleteFlowLogs({ FlowLogIds: [id] })),
        ),
      ],
    }));
  },
};
