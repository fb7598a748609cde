import type { RecordedResource } from "../record/record";
import { nodeGroupTypes, zoneOf, type NodeGroupFacts } from "../facts/node-groups";
import { clusterTypes, groupedBy, inputsOf, type ResourceIndex } from "../facts/resource-index";

/** A VPC with its zones, or `existing VPC` for a network that the program only refers to. */
export interface Network {
  readonly id: string;
  readonly name: string;
  readonly cidr?: string;
  /** Not created by the program: only the subnets that node groups name are known. */
  readonly existing: boolean;
  /** URN of its internet gateway; absent without one. */
  readonly internetGateway?: string;
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
  /** `existing`: not created by the program, so that its routes are not known. */
  readonly kind: "public" | "private" | "existing";
  /** URNs of the NAT gateways in it. */
  readonly natGateways: readonly string[];
  /** URNs of the NAT gateways that its default route leads to. */
  readonly natRoutes: readonly string[];
}

const vpcType = "aws:ec2/vpc:Vpc";
const subnetType = "aws:ec2/subnet:Subnet";
const natType = "aws:ec2/natGateway:NatGateway";
const internetGatewayType = "aws:ec2/internetGateway:InternetGateway";
const routeTableType = "aws:ec2/routeTable:RouteTable";
const unknownZone = "zone known after the update";

/** The networks of a program. A program with a cluster or nodes but no VPC gets an existing one. */
export function networksOf(index: ResourceIndex, groups: readonly NodeGroupFacts[]): Network[] {
  const routes = routesOf(index);
  const subnets = index.ofType(subnetType);
  const place = (subnet: RecordedResource): Placed => [zoneOf(subnet) ?? unknownZone, subnetBox(index, routes, subnet)];
  const created = index.ofType(vpcType).map((vpc) => {
    const own = subnets.filter((subnet) => index.sourcesOf(subnet, "vpcId", vpcType).includes(vpc));
    return createdNetwork(index, vpc, own.map(place));
  });
  const placed = new Set(
    created.flatMap((network) => network.zones.flatMap((zone) => zone.subnets.map(({ id }) => id))),
  );
  const elsewhere = subnets.filter((subnet) => !placed.has(subnet.urn)).map(place);
  const isUsed = created.length === 0 && index.ofType(...clusterTypes, ...nodeGroupTypes).length > 0;
  const existing = [...elsewhere, ...existingSubnets(groups)];
  if (existing.length === 0 && !isUsed) return created;
  return [...created, { id: "existing-vpc", name: "existing VPC", existing: true, zones: zonesOf(existing) }];
}

function createdNetwork(index: ResourceIndex, vpc: RecordedResource, placed: readonly Placed[]): Network {
  const inputs = inputsOf(vpc);
  const cidr = inputs.text("cidrBlock").value;
  const gateway = index.ofType(internetGatewayType).find((one) => index.sourcesOf(one, "vpcId", vpcType).includes(vpc));
  return {
    id: vpc.urn,
    name: inputs.text("tags.Name").value || vpc.name,
    ...(cidr && { cidr }),
    existing: false,
    ...(gateway && { internetGateway: gateway.urn }),
    zones: zonesOf(placed),
  };
}

type Placed = readonly [zone: string, subnet: SubnetBox];

/** Subnets that node groups name by id. */
function existingSubnets(groups: readonly NodeGroupFacts[]): Placed[] {
  const subnets = groups.flatMap((group) => group.subnets.filter(({ urn }) => urn === undefined));
  const names = new Set(subnets.map(({ name }) => name));
  return [...names].map((id) => [
    "existing subnets",
    { id, name: id, kind: "existing", natGateways: [], natRoutes: [] },
  ]);
}

function zonesOf(placed: readonly Placed[]): Zone[] {
  return [...groupedBy(placed, ([zone]) => zone)]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, own]) => ({ name, subnets: own.map(([, subnet]) => subnet).sort(publicFirst) }));
}

function publicFirst(a: SubnetBox, b: SubnetBox): number {
  return b.kind.localeCompare(a.kind) || a.name.localeCompare(b.name);
}

interface Routes {
  /** URNs of the subnets with a default route to an internet gateway. */
  readonly toInternet: ReadonlySet<string>;
  /** URN of a subnet to the NAT gateways of its default route. */
  readonly toNat: ReadonlyMap<string, readonly string[]>;
}

function routesOf(index: ResourceIndex): Routes {
  const toInternet = new Set<string>();
  const toNat = new Map<string, readonly string[]>();
  for (const association of index.ofType("aws:ec2/routeTableAssociation:RouteTableAssociation")) {
    const subnet = index.sourcesOf(association, "subnetId", subnetType)[0];
    const table = index.sourcesOf(association, "routeTableId", routeTableType)[0];
    if (!subnet || !table) continue;
    if (targetsOf(index, table, "gatewayId", internetGatewayType).length > 0) toInternet.add(subnet.urn);
    const nats = targetsOf(index, table, "natGatewayId", natType);
    if (nats.length > 0) toNat.set(subnet.urn, nats);
  }
  return { toInternet, toNat };
}

/**
 * URNs of the gateways of a type that are targets of the routes of a table: separate route resources, or routes inside
 * the table.
 */
function targetsOf(index: ResourceIndex, table: RecordedResource, property: string, type: string): string[] {
  const routes = index
    .ofType("aws:ec2/route:Route")
    .filter((route) => index.sourcesOf(route, "routeTableId", routeTableType).includes(table));
  const targets = [
    ...routes.flatMap((route) => index.sourcesOf(route, property, type)),
    ...index.sourcesOf(table, "routes", type),
  ];
  return targets.map(({ urn }) => urn);
}

function subnetBox(index: ResourceIndex, routes: Routes, subnet: RecordedResource): SubnetBox {
  const inputs = inputsOf(subnet);
  const cidr = inputs.text("cidrBlock").value;
  const isPublic = routes.toInternet.has(subnet.urn) || inputs.boolean("mapPublicIpOnLaunch").value === true;
  return {
    id: subnet.urn,
    name: subnet.name,
    ...(cidr && { cidr }),
    kind: isPublic ? "public" : "private",
    natGateways: index
      .ofType(natType)
      .filter((nat) => index.sourcesOf(nat, "subnetId", subnetType).includes(subnet))
      .map((nat) => nat.urn),
    natRoutes: routes.toNat.get(subnet.urn) ?? [],
  };
}
