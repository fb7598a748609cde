import { parseCidr } from "../../../components/core/cidr-form";
import { valuesAt } from "../../../components/core/reader/paths";
import type { Properties } from "../../../components/core/wire";
import { CloudError } from "../../cloud/errors";
import type { CheckFailure, CloudObject, ObjectRequest, Request, ResourceModel, CloudState } from "../../cloud/model";
import { types } from "../types";
import { arn, ec2Id, regional, stringAt, stringOf } from "../values";
import {
  dependencyViolation,
  invalidCidr,
  routeTableReference,
  subnetReference,
  vpcInUse,
  vpcReference,
} from "./references";

/** Whether a route table is the main one of its VPC: it is deleted only with the VPC. */
function isMain(table: CloudObject, vpc: CloudObject | undefined): boolean {
  return vpc?.computed["mainRouteTableId"] === table.id;
}

export const routeTable: ResourceModel = {
  type: types.routeTable,
  required: ["vpcId"],
  references: [vpcReference("vpcId", (vpc, table) => (isMain(table, vpc) ? "cascade" : vpcInUse(vpc)))],
  id: ec2Id("rtb"),
  derivedOutputs: routesOf,
  ...regional((request, id) => ({
    arn: arn(request.cloud, "ec2", `route-table/${id}`),
    ownerId: request.cloud.account.accountId,
  })),
  validateDelete: ({ cloud, object }) =>
    isMain(object, cloud.get(types.vpc, stringOf(object.inputs["vpcId"])))
      ? dependencyViolation(`routeTable '${object.id}'`)
      : undefined,
};

/**
 * The routes that are separate resources. The provider does not return the local route.
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/ec2/vpc_route_table.go flattenRoutes
 */
function routesOf({ id }: CloudObject, cloud: CloudState): Properties {
  return { routes: cloud.find(types.route, { routeTableId: id }).map(({ inputs }) => tableEntryOf(inputs)) };
}

/** Manages the main route table of a VPC: the given routes replace its routes. */
export const defaultRouteTable: ResourceModel = {
  type: types.defaultRouteTable,
  required: ["defaultRouteTableId"],
  references: [routeTableReference("defaultRouteTableId", "cascade")],
  id: ({ inputs }) => stringOf(inputs["defaultRouteTableId"]),
  derivedOutputs: routesOf,
  ...regional((request, id) => ({
    arn: arn(request.cloud, "ec2", `route-table/${id}`),
    ownerId: request.cloud.account.accountId,
    vpcId: request.cloud.get(types.routeTable, id)?.inputs["vpcId"],
  })),
  afterChange: adoptTable,
};

function adoptTable({ cloud, object }: ObjectRequest): void {
  const table = cloud.get(types.routeTable, object.id);
  if (!table) return;
  const { routes = [], tags = {} } = object.inputs;
  cloud.put({ ...table, inputs: { ...table.inputs, routes, tags } });
}

export const routeTableAssociation: ResourceModel = {
  type: types.routeTableAssociation,
  required: ["routeTableId"],
  references: [
    routeTableReference("routeTableId", (table) => dependencyViolation(`routeTable '${table.id}'`)),
    subnetReference("subnetId", "cascade"),
  ],
  unique: ({ subnetId, routeTableId }) => {
    if (subnetId === undefined) return undefined;
    const message = `the specified association for route table ${stringOf(routeTableId)} conflicts with an existing association`;
    return { key: stringOf(subnetId), error: new CloudError("Resource.AlreadyAssociated", message) };
  },
  id: ec2Id("rtbassoc"),
  importId: ({ inputs: { subnetId, gatewayId, routeTableId } }) =>
    `${stringOf(subnetId ?? gatewayId)}/${stringOf(routeTableId)}`,
  computed: ({ cloud }) => ({ region: cloud.account.region }),
  validateCreate: rejectOtherNetwork,
  validateUpdate: rejectOtherNetwork,
};

function rejectOtherNetwork({ cloud, inputs }: Request): CloudError | undefined {
  const table = cloud.get(types.routeTable, stringOf(inputs["routeTableId"]));
  const subnet = cloud.get(types.subnet, stringOf(inputs["subnetId"]));
  if (!table || !subnet || table.inputs["vpcId"] === subnet.inputs["vpcId"]) return undefined;
  const message = `Route table ${table.id} and subnet ${subnet.id} belong to different networks`;
  return new CloudError("InvalidParameterValue", message);
}

const destinations = ["destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId"] as const;

const targets = [
  "carrierGatewayId",
  "coreNetworkArn",
  "egressOnlyGatewayId",
  "gatewayId",
  "localGatewayId",
  "natGatewayId",
  "networkInterfaceId",
  "odbNetworkArn",
  "transitGatewayId",
  "vpcEndpointId",
  "vpcPeeringConnectionId",
] as const;

export const route: ResourceModel = {
  type: types.route,
  required: ["routeTableId"],
  check: (inputs) => [...checkExactlyOne(inputs, destinations), ...checkExactlyOne(inputs, targets)],
  references: [
    routeTableReference("routeTableId", "cascade"),
    {
      // A route stays when its gateway is deleted, as a blackhole.
      path: "natGatewayId",
      to: types.natGateway,
      missing: (id) => new CloudError("InvalidNatGatewayID.NotFound", `The natGateway ID '${id}' does not exist`),
    },
  ],
  unique: (inputs) => {
    const destination = destinationOf(inputs);
    return { key: `${stringOf(inputs["routeTableId"])} ${destination}`, error: duplicate(destination) };
  },
  id: ({ inputs }) => `r-${stringOf(inputs["routeTableId"])}_${destinationOf(inputs)}`,
  importId: ({ inputs }) => `${stringOf(inputs["routeTableId"])}_${destinationOf(inputs)}`,
  computed: ({ cloud, inputs }) => ({
    region: cloud.account.region,
    origin: "CreateRoute",
    state: "active",
    instanceId: "",
    instanceOwnerId: "",
    ...(inputs["networkInterfaceId"] === undefined && { networkInterfaceId: "" }),
  }),
  validateCreate: (request) => rejectDestination(request) ?? rejectTarget(request),
  validateUpdate: rejectTarget,
};

/** A route as an item of `routes` of its table, where destinations have shorter names. */
function tableEntryOf(inputs: Properties): Properties {
  const destination = { cidrBlock: inputs["destinationCidrBlock"], ipv6CidrBlock: inputs["destinationIpv6CidrBlock"] };
  const same = ["destinationPrefixListId", ...targets].map((name) => [name, inputs[name]] as const);
  const all: Properties = { ...destination, ...Object.fromEntries(same) };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value ?? ""]));
}

function checkExactlyOne(inputs: Properties, names: readonly string[]): CheckFailure[] {
  const given = names.filter((name) => inputs[name] !== undefined);
  if (given.length === 1) return [];
  const reason = `one of \`${names.join(",")}\` must be specified, and only one`;
  return [{ property: given[0] ?? names[0] ?? "", reason }];
}

function destinationOf(inputs: Properties): string {
  return destinations.map((name) => stringAt(inputs, name)).find((given) => given !== undefined) ?? "";
}

function duplicate(destination: string): CloudError {
  return new CloudError("RouteAlreadyExists", `The route identified by ${destination} already exists.`);
}

function rejectDestination({ cloud, inputs }: Request): CloudError | undefined {
  const given = stringAt(inputs, "destinationCidrBlock");
  if (given === undefined) return undefined;
  if (!parseCidr(given)) return invalidCidr(given, "destinationCidrBlock");
  const table = cloud.get(types.routeTable, stringOf(inputs["routeTableId"]));
  const local = cloud.get(types.vpc, stringOf(table?.inputs["vpcId"]))?.inputs["cidrBlock"];
  const taken = [local, ...valuesAt(table?.inputs ?? {}, "routes[*].cidrBlock")];
  return taken.includes(given) ? duplicate(given) : undefined;
}

/** The target of a route must be in the VPC of its table. */
function rejectTarget(request: Request): CloudError | undefined {
  const table = request.cloud.get(types.routeTable, stringOf(request.inputs["routeTableId"]));
  return rejectNatGateway(request, table) ?? rejectInternetGateway(request, table);
}

function rejectNatGateway({ cloud, inputs }: Request, table: CloudObject | undefined): CloudError | undefined {
  const gateway = cloud.get(types.natGateway, stringOf(inputs["natGatewayId"]));
  const subnet = cloud.get(types.subnet, stringOf(gateway?.inputs["subnetId"]));
  if (!gateway || subnet?.inputs["vpcId"] === table?.inputs["vpcId"]) return undefined;
  return differentNetworks(table?.id, `natGateway ${gateway.id}`);
}

function rejectInternetGateway({ cloud, inputs }: Request, table: CloudObject | undefined): CloudError | undefined {
  const id = stringAt(inputs, "gatewayId");
  if (!id?.startsWith("igw-")) return undefined;
  const gateway = cloud.get(types.internetGateway, id);
  if (!gateway) return new CloudError("InvalidGatewayID.NotFound", `The gateway ID '${id}' does not exist`);
  if (gateway.inputs["vpcId"] === table?.inputs["vpcId"]) return undefined;
  return differentNetworks(table?.id, `network gateway ${id}`);
}

function differentNetworks(tableId: string | undefined, target: string): CloudError {
  const message = `route table ${stringOf(tableId)} and ${target} belong to different networks`;
  return new CloudError("InvalidParameterValue", message);
}
