import { ec2Kind } from "./ec2-search";
import type { NatGateway, VpcEndpoint } from "@aws-sdk/client-ec2";
import { request, type Aws } from "../../../aws/clients";
import { free, tagsOf, hourly, type Found } from "../found";
import { step } from "../requests";

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
