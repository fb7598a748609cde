import { parseCidr } from "../../../components/core/cidr-form";
import { overlap } from "../../../components/network/cidr";
import { invalidCidr, vpcInUse, vpcReference } from "./references";
import { types } from "../types";
import { arn, computedDefaults, ec2Id, regional, stringOf } from "../values";
import { CloudError } from "../../cloud/errors";
import type { Request, ObjectRequest, ResourceModel } from "../../cloud/model";

/** Quota of VPCs in a region. @see https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html */
export const vpcQuota = 5;

/** The id of a default object of a VPC: it has the VPC's digits. */
const siblingId = (vpcId: string, prefix: string) => `${prefix}-${vpcId.slice("vpc-".length)}`;

export const vpc: ResourceModel = {
  type: types.vpc,
  defaults: { enableDnsSupport: true, instanceTenancy: "default" },
  id: ec2Id("vpc"),
  ...regional((request, id) => ({
    ...computedDefaults(request.inputs, { enableDnsHostnames: false }),
    arn: arn(request.cloud, "ec2", `vpc/${id}`),
    ownerId: request.cloud.account.accountId,
    dhcpOptionsId: "dopt-0a1b2c3d4e5f60718",
    defaultNetworkAclId: siblingId(id, "acl"),
    defaultRouteTableId: siblingId(id, "rtb"),
    mainRouteTableId: siblingId(id, "rtb"),
    defaultSecurityGroupId: siblingId(id, "sg"),
  })),
  validateCreate: (request) => rejectQuota(request) ?? rejectCidr(request),
  afterChange: createDefaultObjects,
};

function rejectQuota({ cloud }: Request): CloudError | undefined {
  if (cloud.find(types.vpc).length < vpcQuota) return undefined;
  return new CloudError("VpcLimitExceeded", "The maximum number of VPCs has been reached.");
}

function rejectCidr({ inputs }: Request): CloudError | undefined {
  const given = stringOf(inputs["cidrBlock"]);
  const block = parseCidr(given);
  if (!block) return invalidCidr(given, "cidrBlock");
  if (block.bitmask >= 16 && block.bitmask <= 28) return undefined;
  return new CloudError("InvalidVpc.Range", `The CIDR '${given}' is invalid.`);
}

/** Creates the main route table and the default security group of a VPC. */
function createDefaultObjects({ cloud, object }: ObjectRequest): void {
  const tableId = siblingId(object.id, "rtb");
  if (cloud.get(types.routeTable, tableId)) return;
  const computed = { region: cloud.account.region, tagsAll: {}, ownerId: cloud.account.accountId };
  cloud.put({
    type: types.routeTable,
    id: tableId,
    inputs: { vpcId: object.id, routes: [] },
    computed: { ...computed, arn: arn(cloud, "ec2", `route-table/${tableId}`) },
  });
  const groupId = siblingId(object.id, "sg");
  cloud.put({
    type: types.securityGroup,
    id: groupId,
    inputs: {
      vpcId: object.id,
      name: "default",
      description: "default VPC security group",
      ingress: [{ protocol: "-1", fromPort: 0, toPort: 0, self: true }],
      egress: [{ protocol: "-1", fromPort: 0, toPort: 0, cidrBlocks: ["0.0.0.0/0"] }],
    },
    computed: { ...computed, arn: arn(cloud, "ec2", `security-group/${groupId}`) },
  });
}

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
  validateCreate: (request) => rejectZone(request) ?? rejectBlock(request),
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
function rejectBlock({ cloud, inputs }: Request): CloudError | undefined {
  const given = stringOf(inputs["cidrBlock"]);
  const block = parseCidr(given);
  if (!block) return invalidCidr(given, "cidrBlock");
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
