import type { RecordedResource } from "../record/record";
import { nodeGroupTypes, type NodeGroupFacts } from "../facts/node-groups";
import { clusterTypes, textAt, valueAt, type ResourceIndex } from "../facts/resource-index";

/** A VPC with its zones, or `existing VPC` for what the program only refers to. */
export interface Network {
  readonly id: string;
  readonly name: string;
  readonly cidr?: string;
  /** Made by someone else: its subnets are known only as far as node groups name them. */
  readonly existing: boolean;
  readonly internetGateway: boolean;
  readonly zones: readonly Zone[];
}

export interface Zone {
  readonly name: string;
  readonly subnets: readonly SubnetBox[];
}

export interface SubnetBox {
  /** The URN, or the id of an existing subnet. */
  readonly id: string;
  readonly name: string;
  readonly cidr?: string;
  /** `existing`: made by someone else, so that nobody knows its routes here. */
  readonly kind: "public" | "private" | "existing";
  /** Names of the NAT gateways in it. */
  readonly natGateways: readonly string[];
  /** Names of the NAT gateways its default route leads to. */
  readonly natRoutes: readonly string[];
}

const vpcType = "aws:ec2/vpc:Vpc";
const subnetType = "aws:ec2/subnet:Subnet";
const natType = "aws:ec2/natGateway:NatGateway";
const unknownZone = "zone known at the update";

/** The networks of a program. A program with a cluster or nodes but no VPC gets an existing one. */
export function networksOf(index: ResourceIndex, groups: readonly NodeGroupFacts[]): Network[] {
  const routes = routesOf(index);
  const subnets = index.ofType(subnetType);
  const made = index.ofType(vpcType).map((vpc): Network => {
    const own = subnets.filter((subnet) => index.sourcesOf(subnet, "vpcId", vpcType).includes(vpc));
    const cidr = textAt(vpc.inputs, "cidrBlock");
    return {
      id: vpc.urn,
      name: textAt(vpc.inputs, "tags.Name") ?? vpc.name,
      ...(cidr !== undefined && { cidr }),
      existing: false,
      internetGateway: index
        .ofType("aws:ec2/internetGateway:InternetGateway")
        .some((gateway) => index.sourcesOf(gateway, "vpcId", vpcType).includes(vpc)),
      zones: zonesOf(own.map((subnet) => [zoneOf(subnet), subnetBox(index, routes, subnet)])),
    };
  });
  const placed = new Set(made.flatMap((network) => network.zones.flatMap((zone) => zone.subnets.map(({ id }) => id))));
  const elsewhere = subnets
    .filter((subnet) => !placed.has(subnet.urn))
    .map((subnet): Placed => [zoneOf(subnet), subnetBox(index, routes, subnet)]);
  const existing = existingNetwork([...elsewhere, ...existingSubnets(groups)], made.length === 0 && usesNetwork(index));
  return existing ? [...made, existing] : made;
}

type Placed = readonly [zone: string, subnet: SubnetBox];

function existingNetwork(placed: readonly Placed[], always: boolean): Network | undefined {
  if (placed.length === 0 && !always) return undefined;
  return {
    id: "existing-vpc",
    name: "existing VPC",
    existing: true,
    internetGateway: false,
    zones: zonesOf(placed),
  };
}

function usesNetwork(index: ResourceIndex): boolean {
  return index.ofType(...clusterTypes, ...nodeGroupTypes).length > 0;
}

/** Subnets that node groups name by id. */
function existingSubnets(groups: readonly NodeGroupFacts[]): Placed[] {
  const byId = new Map<string, Placed>();
  for (const group of groups) {
    for (const subnet of group.subnets) {
      if (subnet.urn !== undefined || byId.has(subnet.name)) continue;
      byId.set(subnet.name, ["existing subnets", existingSubnet(subnet.name)]);
    }
  }
  return [...byId.values()];
}

function existingSubnet(id: string): SubnetBox {
  return { id, name: id, kind: "existing", natGateways: [], natRoutes: [] };
}

function zonesOf(placed: readonly Placed[]): Zone[] {
  const byZone = new Map<string, SubnetBox[]>();
  for (const [zone, subnet] of placed) byZone.set(zone, [...(byZone.get(zone) ?? []), subnet]);
  return [...byZone]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, subnets]) => ({ name, subnets: [...subnets].sort(publicFirst) }));
}

function publicFirst(a: SubnetBox, b: SubnetBox): number {
  return b.kind.localeCompare(a.kind) || a.name.localeCompare(b.name);
}

function zoneOf(subnet: RecordedResource): string {
  return textAt(subnet.inputs, "availabilityZone") ?? textAt(subnet.inputs, "availabilityZoneId") ?? unknownZone;
}

interface Routes {
  /** URNs of the subnets with a default route to an internet gateway. */
  readonly toInternet: ReadonlySet<string>;
  /** URN of a subnet to the NAT gateways of its default route. */
  readonly toNat: ReadonlyMap<string, readonly string[]>;
}

function routesOf(index: ResourceIndex): Routes {
  const routeTable = "aws:ec2/routeTable:RouteTable";
  const gateway = "aws:ec2/internetGateway:InternetGateway";
  const toInternet = new Set<string>();
  const toNat = new Map<string, string[]>();
  for (const association of index.ofType("aws:ec2/routeTableAssociation:RouteTableAssociation")) {
    const subnet = index.sourcesOf(association, "subnetId", subnetType)[0];
    const table = index.sourcesOf(association, "routeTableId", routeTable)[0];
    if (!subnet || !table) continue;
    const routes = index
      .ofType("aws:ec2/route:Route")
      .filter((route) => index.sourcesOf(route, "routeTableId", routeTable).includes(table));
    const internet = (route: RecordedResource, property: string) =>
      index.sourcesOf(route, property, gateway).length > 0;
    if (routes.some((route) => internet(route, "gatewayId")) || internet(table, "routes")) toInternet.add(subnet.urn);
    const nats = [
      ...routes.flatMap((route) => index.sourcesOf(route, "natGatewayId", natType)),
      ...index.sourcesOf(table, "routes", natType),
    ];
    if (nats.length > 0)
      toNat.set(
        subnet.urn,
        nats.map((nat) => nat.urn),
      );
  }
  return { toInternet, toNat };
}

function subnetBox(index: ResourceIndex, routes: Routes, subnet: RecordedResource): SubnetBox {
  const cidr = textAt(subnet.inputs, "cidrBlock");
  const isPublic = routes.toInternet.has(subnet.urn) || valueAt(subnet.inputs, "mapPublicIpOnLaunch") === true;
  return {
    id: subnet.urn,
    name: subnet.name,
    ...(cidr !== undefined && { cidr }),
    kind: isPublic ? "public" : "private",
    natGateways: index
      .ofType(natType)
      .filter((nat) => index.sourcesOf(nat, "subnetId", subnetType).includes(subnet))
      .map((nat) => nat.urn),
    natRoutes: routes.toNat.get(subnet.urn) ?? [],
  };
}
