import { CloudError } from "../../world/cloud-error";
import type { Properties } from "../../../components/core/wire";
import type { Asked, AskedOf, Kind, WorldObject } from "../../world/kind";
import type { World } from "../../world/world";
import { types } from "../types";
import { arn, ec2Id, recomputesTags, regional, regionalOutputs, shown } from "../values";
import { dependencies, holdsVpc, toRouteTable, toSubnet, toVpc } from "./references";
import { asListed } from "./route";

/** Whether it is the table that the VPC was born with: nobody deletes it, it goes with the VPC. */
function isMain(table: WorldObject, vpc: WorldObject | undefined): boolean {
  return vpc?.computed["mainRouteTableId"] === table.id;
}

export const routeTable: Kind = {
  type: types.routeTable,
  required: ["vpcId"],
  immutable: ["vpcId"],
  references: [toVpc((vpc, table) => (isMain(table, vpc) ? "goes-along" : holdsVpc(vpc)))],
  id: ec2Id("rtb"),
  computes: [...regionalOutputs, "arn", "ownerId", "routes"],
  live: routesOf,
  recomputes: recomputesTags,
  computed: (asked, id) => ({
    ...regional(asked),
    arn: arn(asked.world, "ec2", `route-table/${id}`),
    ownerId: asked.world.account.accountId,
  }),
  remove: ({ world, object }) =>
    isMain(object, world.get(types.vpc, shown(object.inputs["vpcId"])))
      ? dependencies(`routeTable '${object.id}'`)
      : undefined,
};

/**
 * The routes that are resources of their own; the local one is not told.
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/ec2/vpc_route_table.go flattenRoutes
 */
function routesOf({ id }: WorldObject, world: World): Properties {
  return { routes: world.find(types.route, { routeTableId: id }).map(({ inputs }) => asListed(inputs)) };
}

/** Takes the table that a VPC was born with under management: its routes are replaced by those that are given. */
export const defaultRouteTable: Kind = {
  type: types.defaultRouteTable,
  required: ["defaultRouteTableId"],
  immutable: ["defaultRouteTableId"],
  references: [toRouteTable("defaultRouteTableId", "goes-along")],
  id: ({ inputs }) => shown(inputs["defaultRouteTableId"]),
  computes: [...regionalOutputs, "arn", "ownerId", "routes", "vpcId"],
  live: routesOf,
  recomputes: recomputesTags,
  computed: (asked, id) => ({
    ...regional(asked),
    arn: arn(asked.world, "ec2", `route-table/${id}`),
    ownerId: asked.world.account.accountId,
    vpcId: asked.world.get(types.routeTable, id)?.inputs["vpcId"],
  }),
  after: adoptTable,
};

function adoptTable({ world, object }: AskedOf): void {
  const table = world.get(types.routeTable, object.id);
  if (!table) return;
  const { routes = [], tags = {} } = object.inputs;
  world.put({ ...table, inputs: { ...table.inputs, routes, tags } });
}

export const routeTableAssociation: Kind = {
  type: types.routeTableAssociation,
  required: ["routeTableId"],
  immutable: ["gatewayId", "subnetId"],
  references: [
    toRouteTable("routeTableId", (table) => dependencies(`routeTable '${table.id}'`)),
    toSubnet("subnetId", "goes-along"),
  ],
  unique: ({ subnetId, routeTableId }) => {
    if (subnetId === undefined) return undefined;
    const words = `the specified association for route table ${shown(routeTableId)} conflicts with an existing association`;
    return { key: shown(subnetId), error: new CloudError("Resource.AlreadyAssociated", words) };
  },
  id: ec2Id("rtbassoc"),
  computes: ["region"],
  computed: ({ world }) => ({ region: world.account.region }),
  create: refuseOtherNetwork,
  update: refuseOtherNetwork,
};

function refuseOtherNetwork({ world, inputs }: Asked): CloudError | undefined {
  const table = world.get(types.routeTable, shown(inputs["routeTableId"]));
  const subnet = world.get(types.subnet, shown(inputs["subnetId"]));
  if (!table || !subnet || table.inputs["vpcId"] === subnet.inputs["vpcId"]) return undefined;
  const words = `Route table ${table.id} and subnet ${subnet.id} belong to different networks`;
  return new CloudError("InvalidParameterValue", words);
}
