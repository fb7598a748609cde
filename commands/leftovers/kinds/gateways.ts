import type { NatGateway, VpcEndpoint } from "@aws-sdk/client-ec2";
import type { Aws } from "../../../aws/clients";
import { free, tagsOf, type Found } from "../found";
import { hourly } from "../rates";
import { step } from "../requests";
import { searchEc2 } from "./ec2-search";
import { kindOf } from "./kind";

export const natGateways = kindOf({
  kind: "NAT gateway",
  type: "aws:ec2/natGateway:NatGateway",
  reads: ["ec2:DescribeNatGateways"],
  list: (aws, search) =>
    searchEc2(
      aws,
      search,
      "NatGateways",
      (ec2, { Filters: Filter, ...page }) => ec2.describeNatGateways({ Filter, ...page }),
      { inVpc: "vpc-id", named: "NAT" },
    ),
  found: (one, aws) => (one.State === "deleted" ? undefined : natGateway(one, aws)),
});

function natGateway(one: NatGateway, aws: Aws): Found {
  const { NatGatewayId: id = "", State, CreateTime, VpcId: vpc, Tags, SubnetId, NatGatewayAddresses = [] } = one;
  const isGone = async () => {
    const { NatGateways = [] } = await (await aws.ec2()).describeNatGateways({ NatGatewayIds: [id] });
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

export const addresses = kindOf({
  kind: "elastic address",
  type: "aws:ec2/eip:Eip",
  reads: ["ec2:DescribeAddresses"],
  list: (aws, search) => searchEc2(aws, search, "Addresses", (ec2, at) => ec2.describeAddresses(at), { named: "NAT" }),
  found: ({ AllocationId: id = "", PublicIp = "", AssociationId, Tags, ...to }, aws) => ({
    ...{ id, tags: tagsOf(Tags), rate: hourly(aws.region, "public-ipv4") },
    usedBy: [to.InstanceId, to.NetworkInterfaceId],
    detail: `${PublicIp}, ${AssociationId === undefined ? "unused" : "in use"}`,
    steps: [step(aws, "ec2:ReleaseAddress", { AllocationId: id })],
  }),
});

export const vpcEndpoints = kindOf({
  kind: "VPC endpoint",
  type: "aws:ec2/vpcEndpoint:VpcEndpoint",
  reads: ["ec2:DescribeVpcEndpoints"],
  list: (aws, search) =>
    searchEc2(aws, search, "VpcEndpoints", (ec2, at) => ec2.describeVpcEndpoints(at), { inVpc: "vpc-id" }),
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
