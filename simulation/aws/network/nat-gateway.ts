import { Netmask } from "netmask";
import { CloudError } from "../../world/cloud-error";
import type { Properties } from "../../../components/core/wire";
import type { Asked, AskedOf, Kind, WorldObject } from "../../world/kind";
import { propertyOf, type World } from "../../world/world";
import { types } from "../types";
import { arn, besides, ec2Id, numberOf, recomputesTags, regional, regionalOutputs, shown } from "../values";
import { holdsSubnet, toSubnet } from "./references";

/** Elastic IP addresses that an account may have in a region. @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/elastic-ip-addresses-eip.html */
export const addressQuota = 5;

/** An address of a block that is for documentation. @see https://www.rfc-editor.org/rfc/rfc5737 */
const publicIp = (id: string) => `203.0.113.${numberOf(id, 254) + 1}`;

export const eip: Kind = {
  type: types.eip,
  immutable: ["address", "customerOwnedIpv4Pool", "domain", "ipamPoolId", "networkBorderGroup", "publicIpv4Pool"],
  id: ec2Id("eipalloc"),
  computes: [
    ...regionalOutputs,
    "allocationId",
    "arn",
    "associationId",
    "domain",
    "instance",
    "networkBorderGroup",
    "networkInterface",
    "privateDns",
    "privateIp",
    "publicDns",
    "publicIp",
    "publicIpv4Pool",
  ],
  recomputes: recomputesTags,
  computed: (asked, id) => {
    const { region } = asked.world.account;
    return {
      ...regional(asked),
      ...besides(asked.inputs, { domain: "vpc", networkBorderGroup: region, publicIpv4Pool: "amazon" }),
      allocationId: id,
      arn: arn(asked.world, "ec2", `elastic-ip/${id}`),
      publicIp: publicIp(id),
      publicDns: `ec2-${publicIp(id).replaceAll(".", "-")}.${region}.compute.amazonaws.com`,
    };
  },
  live: associationOf,
  create: ({ world }) =>
    world.find(types.eip).length < addressQuota
      ? undefined
      : new CloudError("AddressLimitExceeded", "The maximum number of addresses has been reached."),
};

/**
 * What an address is on. @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/ec2/ec2_eip.go resourceEIPRead
 */
function associationOf(address: WorldObject, world: World): Properties {
  const [gateway] = world.find(types.natGateway, { allocationId: address.id });
  const { associationId = "", networkInterfaceId = "" } = gateway?.computed ?? {};
  const privateIp = gateway && propertyOf(gateway, "privateIp");
  return {
    associationId,
    instance: "",
    networkInterface: networkInterfaceId,
    privateIp: privateIp ?? "",
    privateDns:
      privateIp === undefined
        ? ""
        : `ip-${shown(privateIp).replaceAll(".", "-")}.${world.account.region}.compute.internal`,
  };
}

export const natGateway: Kind = {
  type: types.natGateway,
  defaults: { connectivityType: "public" },
  immutable: [
    "allocationId",
    "availabilityMode",
    "connectivityType",
    "privateIp",
    "secondaryPrivateIpAddressCount",
    "subnetId",
    "vpcId",
  ],
  references: [
    toSubnet("subnetId", holdsSubnet),
    {
      path: "allocationId",
      to: types.eip,
      missing: (id) => new CloudError("InvalidAllocationID.NotFound", `The allocation ID '${id}' does not exist`),
      // The words of AWS: the address belongs to the gateway, which is not the caller's to take from.
      held: new CloudError("AuthFailure", "You do not have permission to access the specified resource."),
    },
  ],
  id: ec2Id("nat"),
  computes: [...regionalOutputs, "associationId", "networkInterfaceId", "privateIp", "publicIp"],
  recomputes: recomputesTags,
  computed: (asked, id) => ({
    ...regional(asked),
    ...besides(asked.inputs, { privateIp: privateIp(asked, id) }),
    associationId: id.replace("nat", "eipassoc"),
    networkInterfaceId: id.replace("nat", "eni"),
    publicIp: asked.world.get(types.eip, shown(asked.inputs["allocationId"]))?.computed["publicIp"] ?? "",
  }),
  create: ({ inputs }) =>
    inputs["connectivityType"] === "private" || inputs["allocationId"] !== undefined
      ? undefined
      : new CloudError(
          "MissingParameter",
          "The request must include the AllocationId parameter. Add the required parameter and retry the request.",
        ),
  settle: failure,
  seconds: { create: 95, delete: 50 },
};

/** AWS keeps the first four addresses of a subnet. */
function privateIp({ world, inputs }: Asked, id: string): string {
  const block = world.get(types.subnet, shown(inputs["subnetId"]))?.inputs["cidrBlock"];
  const { base, size } = new Netmask(shown(block));
  const [first = 0, second = 0, third = 0, fourth = 0] = base.split(".").map(Number);
  const offset = 4 + numberOf(id, Math.min(size, 256) - 5);
  return [first, second, third, fourth + offset].join(".");
}

/** A gateway that cannot work is made all the same, and fails. @see https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-troubleshooting.html */
function failure({ world, object }: AskedOf): string | undefined {
  if (object.inputs["connectivityType"] === "private") return undefined;
  const vpcId = world.get(types.subnet, shown(object.inputs["subnetId"]))?.inputs["vpcId"];
  if (world.find(types.internetGateway, { vpcId }).length === 0) {
    return failed(object, `Gateway.NotAttached: Network ${shown(vpcId)} has no Internet gateway attached`);
  }
  const [first] = world.find(types.natGateway, { allocationId: object.inputs["allocationId"] });
  if (!first || first.id === object.id) return undefined;
  const { allocationId } = object.inputs;
  const words = `Elastic IP address [${shown(allocationId)}] is already associated`;
  return failed(object, `Resource.AlreadyAssociated: ${words}`);
}

function failed({ id }: WorldObject, error: string): string {
  const state = "unexpected state 'failed', wanted target 'available'";
  return `waiting for EC2 NAT Gateway (${id}) create: ${state}. last error: ${error}`;
}
