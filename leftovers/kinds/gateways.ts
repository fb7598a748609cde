import type { Address, NatGateway, VpcEndpoint } from "@aws-sdk/client-ec2";
import type { Aws } from "../aws";
import { free, sinceOf, tagsOf, type Found, type Rate } from "../found";
import { hourly } from "../rates";
import { failIfRejected, nameFilter, searchEc2, step, tagFilters, vpcFilters } from "./ec2-search";
import type { Kind } from "./kind";

export const natGateways: Kind = {
  kind: "NAT gateway",
  type: "aws:ec2/natGateway:NatGateway",
  reads: ["ec2:DescribeNatGateways"],
  read: async (aws, search) => {
    const ec2 = await aws.ec2();
    const found = await searchEc2<NatGateway>(
      [...tagFilters(search), ...vpcFilters(search), ...nameFilter(search, "NAT")],
      async (Filter, token) => {
        const { NatGateways, NextToken } = await ec2.describeNatGateways({ Filter, ...token });
        return { items: NatGateways, next: NextToken };
      },
    );
    return found.filter(({ State }) => State !== "deleted").map((one) => natGateway(aws, one));
  },
};

function natGateway(aws: Aws, one: NatGateway): Found {
  const { NatGatewayId: id = "", State, CreateTime, VpcId, Tags, SubnetId = "", NatGatewayAddresses = [] } = one;
  const isGone = async () => {
    const { NatGateways = [] } = await (await aws.ec2()).describeNatGateways({ NatGatewayIds: [id] });
    return NatGateways.every(({ State: now }) => now === "deleted");
  };
  const rate: Rate = State === "available" || State === "pending" ? hourly(aws.region, "nat-gateway") : free;
  return {
    ...{ id, detail: String(State), tags: tagsOf(Tags), rate },
    ...sinceOf(CreateTime),
    ...(VpcId !== undefined && { vpc: VpcId }),
    interfaces: NatGatewayAddresses.flatMap(({ NetworkInterfaceId }) => NetworkInterfaceId ?? []),
    uses: [SubnetId, ...NatGatewayAddresses.flatMap(({ AllocationId }) => AllocationId ?? [])],
    steps: [
      step(aws, `delete-nat-gateway --nat-gateway-id ${id}`, "DeleteNatGateway", (on) =>
        on.deleteNatGateway({ NatGatewayId: id }),
      ),
    ],
    wait: { cli: `ec2 wait nat-gateway-deleted --nat-gateway-ids ${id}`, isOver: isGone },
  };
}

export const addresses: Kind = {
  kind: "elastic address",
  type: "aws:ec2/eip:Eip",
  reads: ["ec2:DescribeAddresses"],
  read: async (aws, search) => {
    const ec2 = await aws.ec2();
    const found = await searchEc2<Address>([...tagFilters(search), ...nameFilter(search, "NAT")], async (Filters) => ({
      items: (await ec2.describeAddresses({ Filters })).Addresses,
    }));
    return found.map(({ AllocationId: id = "", PublicIp = "", AssociationId, Tags, ...to }) => ({
      ...{ id, tags: tagsOf(Tags), rate: hourly(aws.region, "public-ipv4") },
      usedBy: [to.InstanceId ?? "", to.NetworkInterfaceId ?? ""],
      detail: `${PublicIp}, ${AssociationId === undefined ? "unused" : "in use"}`,
      steps: [
        step(aws, `release-address --allocation-id ${id}`, "ReleaseAddress", (on) =>
          on.releaseAddress({ AllocationId: id }),
        ),
      ],
    }));
  },
};

export const vpcEndpoints: Kind = {
  kind: "VPC endpoint",
  type: "aws:ec2/vpcEndpoint:VpcEndpoint",
  reads: ["ec2:DescribeVpcEndpoints"],
  read: async (aws, search) => {
    const ec2 = await aws.ec2();
    const found = await searchEc2<VpcEndpoint>(
      [...tagFilters(search), ...vpcFilters(search)],
      async (Filters, token) => {
        const { VpcEndpoints, NextToken } = await ec2.describeVpcEndpoints({ Filters, ...token });
        return { items: VpcEndpoints, next: NextToken };
      },
    );
    return found.filter(({ State }) => String(State).toLowerCase() !== "deleted").map((one) => vpcEndpoint(aws, one));
  },
};

function vpcEndpoint(aws: Aws, one: VpcEndpoint): Found {
  const {
    VpcEndpointId: id = "",
    ServiceName = "",
    VpcEndpointType,
    CreationTimestamp,
    VpcId,
    SubnetIds = [],
    RouteTableIds = [],
    Groups = [],
  } = one;
  const isInterface = VpcEndpointType === "Interface";
  return {
    ...{ id, detail: ServiceName, tags: tagsOf(one.Tags) },
    ...sinceOf(CreationTimestamp),
    ...(VpcId !== undefined && { vpc: VpcId }),
    interfaces: one.NetworkInterfaceIds ?? [],
    uses: [...SubnetIds, ...RouteTableIds, ...Groups.flatMap(({ GroupId }) => GroupId ?? [])],
    rate: isInterface ? hourly(aws.region, "vpc-interface-endpoint", SubnetIds.length) : free,
    steps: [
      step(aws, `delete-vpc-endpoints --vpc-endpoint-ids ${id}`, "DeleteVpcEndpoints", async (on) =>
        failIfRejected(await on.deleteVpcEndpoints({ VpcEndpointIds: [id] })),
      ),
    ],
  };
}
