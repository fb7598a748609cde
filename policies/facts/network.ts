import type { Reader } from "../../components/core/reader/reader";
import type { Reading } from "../../components/core/reader/reading";
import { any, some, type Truth } from "../../components/core/reader/truth";
import type { Resource, Stack } from "../engine/resource";
import { managedNodeGroup, nodeGroup, nodeGroupV2, scalingGroup } from "./node-groups";

export const securityGroup = "aws:ec2/securityGroup:SecurityGroup";
/** The VPC's own group, adopted: Pulumi takes away every rule that it does not state. */
export const defaultSecurityGroup = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup";
/** A rule of the older kind. */
export const securityGroupRule = "aws:ec2/securityGroupRule:SecurityGroupRule";
export const ingressRule = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";
export const egressRule = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule";

/** No organisation was ever given larger blocks. Two halves of the internet are the internet. */
const largestIpv4 = 8;
const largestIpv6 = 16;

/** Whether a CIDR block holds the whole internet, or so much of it that it keeps nobody away. */
export function isPublicBlock(block: Reading<string>): Truth {
  return block.is((text) => prefixOf(text) < (text.includes(":") ? largestIpv6 : largestIpv4));
}

/** Whether such a block is in a list. */
export function hasPublicBlock(blocks: Reading<readonly Reader[]>): Truth {
  return blocks.is((items) => some(items, (item) => isPublicBlock(item.text())));
}

/** What a message may say of a public block in a list: how large it is, never the text itself. */
export function shownPublicBlock(blocks: Reading<readonly Reader[]>): string {
  const open = blocks.value?.map((item) => item.text()).find((block) => isPublicBlock(block) === true);
  return open?.value === undefined ? blocks.shown : shownBlock(open.value);
}

export function shownBlock(block: string): string {
  return block === "0.0.0.0/0" || block === "::/0" ? block : `a block of /${prefixOf(block)}`;
}

/** The number after the slash; none is no number. */
function prefixOf(text: string): number {
  return Number(/^[\d.:a-f]{2,40}\/(\d{1,3})$/i.exec(text)?.[1]);
}

export const subnet = "aws:ec2/subnet:Subnet";

/** A number that may not be known yet: from what is certain to what is possible. */
export interface Count {
  readonly least: number;
  readonly most: number;
  /** What it waits for; false where nothing more will be known. */
  readonly open: Truth;
}

/** Whether a number is above a limit. What nobody will ever know counts as the most that is possible. */
export function moreThan({ least, most, open }: Count, limit: number): Truth {
  if (least > limit) return true;
  return most > limit && (open === false || open);
}

/** Where a type names the subnets or zones of its nodes. */
const placesOf: Readonly<Record<string, readonly string[]>> = {
  [nodeGroup]: ["subnetIds"],
  [managedNodeGroup]: ["subnetIds"],
  [nodeGroupV2]: ["nodeSubnetIds"],
  [scalingGroup]: ["vpcZoneIdentifiers", "availabilityZones"],
};

/** The property of a group that names the subnets or zones of its nodes. */
export function placeOf(group: Resource): string {
  const places = placesOf[group.type] ?? [];
  return places.find((place) => group.list(place).isAbsent !== true) ?? places[0] ?? "subnetIds";
}

/**
 * The zones of a group of nodes. Where its subnets are resources of the stack their zones count, else each subnet
 * counts as a zone of its own. A group that states no subnet has one zone, as far as anybody can see.
 */
export function zonesOf(group: Resource, stack: Stack): Count {
  const place = placeOf(group);
  const list = group.list(place);
  const length = list.value?.length ?? 1;
  const open = list.is(() => false);
  if (open !== false) return { least: 1, most: Number.POSITIVE_INFINITY, open };
  if (length <= 1) return { least: 1, most: 1, open };

  const subnets = stack.behind(group, place, subnet);
  if (subnets.length !== length) return { least: 1, most: length, open };
  const zones = subnets.map((one) => {
    const byName = one.text("availabilityZone");
    return byName.isAbsent === true ? one.text("availabilityZoneId") : byName;
  });
  const known = new Set(zones.flatMap(({ value }) => value ?? [])).size;
  const others = zones.filter(({ value }) => value === undefined);
  return {
    least: Math.max(1, known),
    most: Math.max(1, known + others.length),
    open: any(...others.slice(0, 20).map((zone) => zone.is(() => false))),
  };
}
