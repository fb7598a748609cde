import { parseCidr } from "../../../components/core/cidr-form";
import { overlap } from "../../../components/network/cidr";
import { CloudError } from "../../cloud/errors";
import type { Request, ResourceModel } from "../../cloud/model";
import { types } from "../types";
import { arn, computedDefaults, ec2Id, regional, stringOf } from "../values";
import { vpcInUse, vpcReference } from "./references";

/** A subnet. The models of NAT gateways, VPC endpoints, clusters and instances prevent the deletion of a subnet in use. */
export const subnet: ResourceModel = {
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
  references: [vpcReference("vpcId", vpcInUse)],
  id: ec2Id("subnet"),
  ...regional((request, id) => {
    const zone = stringOf(request.inputs["availabilityZone"] ?? request.cloud.account.zones[0]);
    return {
      ...computedDefaults(request.inputs, {
        availabilityZone: zone,
        availabilityZoneId: zoneId(zone),
        privateDnsHostnameTypeOnLaunch: "ip-name",
      }),
      arn: arn(request.cloud, "ec2", `subnet/${id}`),
      ownerId: request.cloud.account.accountId,
    };
  }),
  validateCreate: (request) => rejectZone(request) ?? rejectCidr(request),
};

function rejectZone({ cloud, inputs }: Request): CloudError | undefined {
  const { zones } = cloud.account;
  const zone = inputs["availabilityZone"];
  if (zone === undefined || zones.includes(stringOf(zone))) return undefined;
  const allowed = `Subnets can currently only be created in the following availability zones: ${zones.join(", ")}.`;
  const message = `Value (${stringOf(zone)}) for parameter availabilityZone is invalid. ${allowed}`;
  return new CloudError("InvalidParameterValue", message);
}

/** @see https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html */
function rejectCidr({ cloud, inputs }: Request): CloudError | undefined {
  const given = stringOf(inputs["cidrBlock"]);
  const block = parseCidr(given);
  if (!block) {
    const message = `Value (${given}) for parameter cidrBlock is invalid. This is not a valid CIDR block.`;
    return new CloudError("InvalidParameterValue", message);
  }
  const whole = parseCidr(cloud.get(types.vpc, stringOf(inputs["vpcId"]))?.inputs["cidrBlock"]);
  if (block.bitmask < 16 || block.bitmask > 28 || !whole?.contains(block)) {
    return new CloudError("InvalidSubnet.Range", `The CIDR '${given}' is invalid.`);
  }
  const taken = cloud.find(types.subnet, { vpcId: inputs["vpcId"] }).some((other) => {
    const theirs = parseCidr(other.inputs["cidrBlock"]);
    return theirs !== undefined && overlap(theirs, block);
  });
  if (!taken) return undefined;
  return new CloudError("InvalidSubnet.Conflict", `The CIDR '${given}' conflicts with another subnet`);
}

/**
 * The id of a zone, e.g. `apne2-az1` for `ap-northeast-2a`. AWS maps letters to zones per account; here, `a` is always the
 * first zone.
 * @see https://docs.aws.amazon.com/ram/latest/userguide/working-with-az-ids.html
 */
export function zoneId(zone: string): string {
  const region = zone.slice(0, -1);
  const [area = "", ...rest] = region.split("-");
  const directions = rest.map((word) => word.replace(/north|south|east|west|central|gov/g, (part) => part.charAt(0)));
  return `${area}${directions.join("")}-az${zone.charCodeAt(zone.length - 1) - "a".charCodeAt(0) + 1}`;
}
