import { parseCidr } from "../../../components/core/cidr-form";
import { CloudError } from "../../world/cloud-error";
import type { Asked, CheckFailure, Kind } from "../../world/kind";
import { valuesAt } from "../../world/paths";
import type { Properties } from "../../../components/core/wire";
import { types } from "../types";
import { shown, textOf } from "../values";
import { toRouteTable } from "./references";

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

export const route: Kind = {
  type: types.route,
  required: ["routeTableId"],
  immutable: ["routeTableId", ...destinations],
  check: (inputs) => [...oneOf(inputs, destinations), ...oneOf(inputs, targets)],
  references: [
    toRouteTable("routeTableId", "goes-along"),
    {
      // A route whose gateway goes stays, and leads nowhere.
      path: "natGatewayId",
      to: types.natGateway,
      missing: (id) => new CloudError("InvalidNatGatewayID.NotFound", `The natGateway ID '${id}' does not exist`),
    },
  ],
  unique: (inputs) => {
    const destination = destinationOf(inputs);
    return { key: `${shown(inputs["routeTableId"])} ${destination}`, error: duplicate(destination) };
  },
  id: ({ inputs }) => `r-${shown(inputs["routeTableId"])}_${destinationOf(inputs)}`,
  computes: ["instanceId", "instanceOwnerId", "networkInterfaceId", "origin", "region", "state"],
  computed: ({ world, inputs }) => ({
    region: world.account.region,
    origin: "CreateRoute",
    state: "active",
    instanceId: "",
    instanceOwnerId: "",
    ...(inputs["networkInterfaceId"] === undefined && { networkInterfaceId: "" }),
  }),
  create: (asked) => refuseDestination(asked) ?? refuseTarget(asked),
  update: refuseTarget,
};

/** A route as it stands in the list of its table, where destinations have shorter names. */
export function asListed(inputs: Properties): Properties {
  const destination = { cidrBlock: inputs["destinationCidrBlock"], ipv6CidrBlock: inputs["destinationIpv6CidrBlock"] };
  const same = ["destinationPrefixListId", ...targets].map((name) => [name, inputs[name]] as const);
  const all: Properties = { ...destination, ...Object.fromEntries(same) };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value ?? ""]));
}

function oneOf(inputs: Properties, names: readonly string[]): CheckFailure[] {
  const given = names.filter((name) => inputs[name] !== undefined);
  if (given.length === 1) return [];
  const reason = `one of \`${names.join(",")}\` must be specified, and only one`;
  return [{ property: given[0] ?? names[0] ?? "", reason }];
}

function destinationOf(inputs: Properties): string {
  return destinations.map((name) => textOf(inputs, name)).find((given) => given !== undefined) ?? "";
}

function duplicate(destination: string): CloudError {
  return new CloudError("RouteAlreadyExists", `The route identified by ${destination} already exists.`);
}

function refuseDestination({ world, inputs }: Asked): CloudError | undefined {
  const given = textOf(inputs, "destinationCidrBlock");
  if (given === undefined) return undefined;
  if (!parseCidr(given)) {
    const words = `Value (${given}) for parameter destinationCidrBlock is invalid. This is not a valid CIDR block.`;
    return new CloudError("InvalidParameterValue", words);
  }
  const table = world.get(types.routeTable, shown(inputs["routeTableId"]));
  const local = world.get(types.vpc, shown(table?.inputs["vpcId"]))?.inputs["cidrBlock"];
  const taken = [local, ...valuesAt(table?.inputs ?? {}, "routes[*].cidrBlock")];
  return taken.includes(given) ? duplicate(given) : undefined;
}

/** What a route leads to must be in the VPC of its table. */
function refuseTarget({ world, inputs }: Asked): CloudError | undefined {
  const table = world.get(types.routeTable, shown(inputs["routeTableId"]));
  const gatewayId = textOf(inputs, "gatewayId");
  const natGateway = world.get(types.natGateway, shown(inputs["natGatewayId"]));
  const natSubnet = world.get(types.subnet, shown(natGateway?.inputs["subnetId"]));
  if (natGateway && natSubnet?.inputs["vpcId"] !== table?.inputs["vpcId"]) {
    return apart(table?.id, `natGateway ${natGateway.id}`);
  }
  if (!gatewayId?.startsWith("igw-")) return undefined;
  const gateway = world.get(types.internetGateway, gatewayId);
  if (!gateway) return new CloudError("InvalidGatewayID.NotFound", `The gateway ID '${gatewayId}' does not exist`);
  return gateway.inputs["vpcId"] === table?.inputs["vpcId"]
    ? undefined
    : apart(table?.id, `network gateway ${gateway.id}`);
}

function apart(tableId: string | undefined, target: string): CloudError {
  const words = `route table ${shown(tableId)} and ${target} belong to different networks`;
  return new CloudError("InvalidParameterValue", words);
}
