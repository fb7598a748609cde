import * as ec2 from "@pulumi/aws/ec2";
import type * as pulumi from "@pulumi/pulumi";
import { transformed } from "../../core/transform";
import type { NatGateways } from "./vpc-schema";
import { after, partTags, type VpcParts } from "./vpc-parts";

const anywhere = "0.0.0.0/0";

export interface Subnets {
  readonly public: readonly ec2.Subnet[];
  readonly private: readonly ec2.Subnet[];
}

/**
 * The internet gateway, the NAT gateways and the route tables. The resources of the first zone have the same names with
 * one NAT gateway and with one per zone, so that a change between the two replaces none of them.
 */
export function makeRouting(parts: VpcParts, vpc: ec2.Vpc, subnets: Subnets, natGateways: NatGateways) {
  const internetGateway = makeInternetGateway(parts, vpc);
  const publicSide = routePublicSubnets(parts, vpc, subnets, internetGateway);
  const natSubnets = { single: subnets.public.slice(0, 1), perAz: subnets.public, none: [] }[natGateways];
  const gateways = natSubnets.map((subnet, index) => makeNatGateway(parts, subnet, index + 1, internetGateway));
  const privateSide = routePrivateSubnets(parts, vpc, subnets, gateways);
  return {
    natGateways: gateways,
    publicRouteTable: publicSide.table,
    /** One for all private subnets, or one per zone. */
    privateRouteTables: privateSide.tables,
    /** Without these a private subnet has no way out. */
    ready: [...publicSide.ready, ...privateSide.ready],
  };
}

function makeInternetGateway(parts: VpcParts, vpc: ec2.Vpc): ec2.InternetGateway {
  const args = { vpcId: vpc.id, tags: partTags(parts, "IGW") };
  return new ec2.InternetGateway(
    ...transformed(parts.transform.internetGateway, `${parts.name}-internet-gateway`, args, parts.options),
  );
}

/**
 * AWS detaches an internet gateway only when no public address is mapped in the VPC: delete NAT gateway and address
 * first.
 */
function makeNatGateway(
  parts: VpcParts,
  subnet: ec2.Subnet,
  number: number,
  internetGateway: ec2.InternetGateway,
): ec2.NatGateway {
  const { name, transform } = parts;
  const options = after(parts, internetGateway);
  const tags = partTags(parts, number === 1 ? "NAT" : `NAT-${number}`);
  const address = new ec2.Eip(
    ...transformed(transform.natAddress, `${name}-nat-${number}-address`, { domain: "vpc", tags }, options),
  );
  const args = { allocationId: address.allocationId, subnetId: subnet.id, tags };
  return new ec2.NatGateway(...transformed(transform.natGateway, `${name}-nat-${number}`, args, options));
}

function routePublicSubnets(parts: VpcParts, vpc: ec2.Vpc, subnets: Subnets, internetGateway: ec2.InternetGateway) {
  const { name, transform, options } = parts;
  const tableArgs = { vpcId: vpc.id, tags: partTags(parts, "VPC-public") };
  const table = new ec2.RouteTable(
    ...transformed(transform.publicRouteTable, `${name}-public-routes`, tableArgs, options),
  );
  const args = { routeTableId: table.id, destinationCidrBlock: anywhere, gatewayId: internetGateway.id };
  const internet = new ec2.Route(...transformed(transform.publicRoute, `${name}-public-internet`, args, options));
  const associations = subnets.public.map((subnet, index) =>
    associate(parts, `${name}-public-${index + 1}-routes`, subnet, table),
  );
  return { table, ready: [internet, ...associations] };
}

/** One table for each NAT gateway, or one without a route to the internet. */
function routePrivateSubnets(parts: VpcParts, vpc: ec2.Vpc, subnets: Subnets, gateways: readonly ec2.NatGateway[]) {
  const { name, transform, options } = parts;
  const numbers = [...Array(Math.max(1, gateways.length)).keys()].map((index) => index + 1);
  const tables = numbers.map((number) => {
    const tags = partTags(parts, number === 1 ? "VPC-private" : `VPC-private-${number}`);
    const args = { vpcId: vpc.id, tags };
    return new ec2.RouteTable(
      ...transformed(transform.privateRouteTable, `${name}-private-routes-${number}`, args, options),
    );
  });
  const tableOf = (index: number) => (tables[index] ?? tables[0]) as ec2.RouteTable;
  const internet = gateways.map((gateway, index) => {
    const args = { routeTableId: tableOf(index).id, destinationCidrBlock: anywhere, natGatewayId: gateway.id };
    return new ec2.Route(
      ...transformed(transform.privateRoute, `${name}-private-internet-${index + 1}`, args, options),
    );
  });
  const associations = subnets.private.map((subnet, index) =>
    associate(parts, `${name}-private-${index + 1}-routes`, subnet, tableOf(index)),
  );
  return { tables, ready: [...internet, ...associations] };
}

function associate(parts: VpcParts, name: string, subnet: ec2.Subnet, table: ec2.RouteTable): pulumi.Resource {
  const args = { subnetId: subnet.id, routeTableId: table.id };
  return new ec2.RouteTableAssociation(
    ...transformed(parts.transform.routeTableAssociation, name, args, parts.options),
  );
}
