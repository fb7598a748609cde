import { CloudError } from "../../world/cloud-error";
import type { Asked, AskedOf, Kind, WorldObject } from "../../world/kind";
import type { World } from "../../world/world";
import { types } from "../types";
import { arn, ec2Id, recomputesTags, regional, regionalOutputs, shown } from "../values";
import { holdsVpc, toVpc } from "./references";

export const internetGateway: Kind = {
  type: types.internetGateway,
  references: [toVpc(holdsVpc)],
  id: ec2Id("igw"),
  computes: [...regionalOutputs, "arn", "ownerId"],
  recomputes: recomputesTags,
  computed: (asked, id) => ({
    ...regional(asked),
    arn: arn(asked.world, "ec2", `internet-gateway/${id}`),
    ownerId: asked.world.account.accountId,
  }),
  create: refuseAttach,
  update: (asked) =>
    asked.inputs["vpcId"] === asked.object.inputs["vpcId"] ? undefined : (refuseDetach(asked) ?? refuseAttach(asked)),
  remove: refuseDetach,
};

function refuseAttach({ world, inputs }: Asked): CloudError | undefined {
  const { vpcId } = inputs;
  if (vpcId === undefined || world.find(types.internetGateway, { vpcId }).length === 0) return undefined;
  const words = `Network ${shown(vpcId)} already has an internet gateway attached`;
  return new CloudError("InvalidParameterValue", words);
}

/** @see https://docs.aws.amazon.com/vpc/latest/userguide/VPC_Internet_Gateway.html */
function refuseDetach({ world, object }: AskedOf): CloudError | undefined {
  const { vpcId } = object.inputs;
  const subnets = world.find(types.subnet, { vpcId });
  if (vpcId === undefined || !hasPublicAddresses(world, subnets)) return undefined;
  const words = `Network ${shown(vpcId)} has some mapped public address(es). Please unmap those public address(es) before detaching the gateway.`;
  return new CloudError("DependencyViolation", words);
}

/** NAT gateways have public addresses, and so have instances in subnets that hand them out. */
function hasPublicAddresses(world: World, subnets: readonly WorldObject[]): boolean {
  return subnets.some(
    ({ id, inputs }) =>
      world.find(types.natGateway, { subnetId: id, connectivityType: "public" }).length > 0 ||
      (inputs["mapPublicIpOnLaunch"] === true && world.find(types.instance, { subnetId: id }).length > 0),
  );
}
