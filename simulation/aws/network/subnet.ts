import { parseCidr } from "../../../components/core/cidr-form";
import { overlap } from "../../../components/network/cidr";
import { CloudError } from "../../world/cloud-error";
import type { Asked, Kind } from "../../world/kind";
import { types } from "../types";
import { arn, besides, ec2Id, recomputesTags, regional, regionalOutputs, shown } from "../values";
import { zoneId } from "../zones";
import { holdsVpc, toVpc } from "./references";

/** What has a network interface in a subnet keeps it: NAT gateways, endpoints, control planes and nodes say so. */
export const subnet: Kind = {
  type: types.subnet,
  defaults: {
    assignIpv6AddressOnCreation: false,
    enableDns64: false,
    enableResourceNameDnsARecordOnLaunch: false,
    enableResourceNameDnsAaaaRecordOnLaunch: false,
    ipv6Native: false,
    mapPublicIpOnLaunch: false,
  },
  required: ["vpcId"],
  immutable: ["vpcId", "cidrBlock", "availabilityZone", "availabilityZoneId", "ipv6Native", "outpostArn"],
  references: [toVpc(holdsVpc)],
  id: ec2Id("subnet"),
  computes: [
    ...regionalOutputs,
    "arn",
    "availabilityZone",
    "availabilityZoneId",
    "ownerId",
    "privateDnsHostnameTypeOnLaunch",
  ],
  recomputes: recomputesTags,
  computed: (asked, id) => {
    const zone = shown(asked.inputs["availabilityZone"] ?? asked.world.account.zones[0]);
    return {
      ...regional(asked),
      ...besides(asked.inputs, {
        availabilityZone: zone,
        availabilityZoneId: zoneId(zone),
        privateDnsHostnameTypeOnLaunch: "ip-name",
      }),
      arn: arn(asked.world, "ec2", `subnet/${id}`),
      ownerId: asked.world.account.accountId,
    };
  },
  create: (asked) => refuseZone(asked) ?? refuseBlock(asked),
};

function refuseZone({ world, inputs }: Asked): CloudError | undefined {
  const { zones } = world.account;
  const zone = inputs["availabilityZone"];
  if (zone === undefined || zones.includes(shown(zone))) return undefined;
  const allowed = `Subnets can currently only be created in the following availability zones: ${zones.join(", ")}.`;
  const words = `Value (${shown(zone)}) for parameter availabilityZone is invalid. ${allowed}`;
  return new CloudError("InvalidParameterValue", words);
}

/** @see https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html */
function refuseBlock({ world, inputs }: Asked): CloudError | undefined {
  const given = shown(inputs["cidrBlock"]);
  const block = parseCidr(given);
  if (!block) {
    const words = `Value (${given}) for parameter cidrBlock is invalid. This is not a valid CIDR block.`;
    return new CloudError("InvalidParameterValue", words);
  }
  const whole = parseCidr(world.get(types.vpc, shown(inputs["vpcId"]))?.inputs["cidrBlock"]);
  if (block.bitmask < 16 || block.bitmask > 28 || !whole?.contains(block)) {
    return new CloudError("InvalidSubnet.Range", `The CIDR '${given}' is invalid.`);
  }
  const taken = world.find(types.subnet, { vpcId: inputs["vpcId"] }).some((other) => {
    const theirs = parseCidr(other.inputs["cidrBlock"]);
    return theirs !== undefined && overlap(theirs, block);
  });
  if (!taken) return undefined;
  return new CloudError("InvalidSubnet.Conflict", `The CIDR '${given}' conflicts with another subnet`);
}
