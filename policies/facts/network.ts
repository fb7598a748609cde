import { any, type Reader, type Reading, type Truth } from "../engine/values";
import type { Resource, Stack } from "../engine/resource";
import { namedBy } from "./karpenter";
import { openIn, someOf } from "./lists";
import { machinesOf, nodePools } from "./node-sources";

export const securityGroup = "aws:ec2/securityGroup:SecurityGroup";
/** The default group of the VPC, adopted: Pulumi removes every rule that it does not define. */
export const defaultSecurityGroup = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup";
/** The older type of a rule. */
export const securityGroupRule = "aws:ec2/securityGroupRule:SecurityGroupRule";
export const ingressRule = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";
export const egressRule = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule";

/** The largest blocks that organizations own. Two halves of the internet are the internet. */
const largestIpv4 = 8;
const largestIpv6 = 16;

/**
 * Large IPv6 blocks that the internet does not route: unique local addresses, fc00::/7, and link-local ones, fe80::/10.
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const notPublic = [
  { pattern: /^f[cd][0-9a-f]{2}:/i, prefix: 7 },
  { pattern: /^fe[89ab][0-9a-f]:/i, prefix: 10 },
];

/** Whether a CIDR block contains the whole internet, or a large part of it. */
export function isPublicBlock(block: Reading<string>): Truth {
  return block.is((text) => prefixOf(text) < (text.includes(":") ? largestIpv6 : largestIpv4) && !isPrivateIpv6(text));
}

function isPrivateIpv6(block: string): boolean {
  return notPublic.some(({ pattern, prefix }) => pattern.test(block) && prefixOf(block) >= prefix);
}

/** Whether a list contains a public block. */
export function hasPublicBlock(blocks: Reading<readonly Reader[]>): Truth {
  return someOf(blocks, (item) => isPublicBlock(item.text()));
}

/** Describes a public block in a list by its size. Messages never contain the string itself. */
export function shownPublicBlock(blocks: Reading<readonly Reader[]>): string {
  const open = blocks.value?.map((item) => item.text()).find((block) => isPublicBlock(block) === true);
  return open?.value === undefined ? blocks.shown : shownBlock(open.value);
}

export function shownBlock(block: string): string {
  return block === "0.0.0.0/0" || block === "::/0" ? block : `a block of /${prefixOf(block)}`;
}

/** The number after the slash; NaN without one. */
function prefixOf(text: string): number {
  return Number(/^[\d.:a-f]{2,40}\/(\d{1,3})$/i.exec(text)?.[1]);
}

export const subnet = "aws:ec2/subnet:Subnet";

/** A number that may be unknown: at least what is certain, at most what is possible. */
export interface Count {
  readonly least: number;
  readonly most: number;
  /** The unknown values; false if there are none. */
  readonly open: Truth;
}

/** Whether a number exceeds a limit. Without unknown values, what is possible counts. */
export function moreThan({ least, most, open }: Count, limit: number): Truth {
  if (least > limit) return true;
  return most > limit && (open === false || open);
}

/** The property of a group with the subnets or zones of its nodes. */
export function placeOf(group: Resource): string {
  const [first = "subnetIds", ...others] = machinesOf(group.type).places ?? [];
  return [first, ...others].find((place) => group.list(place).isAbsent !== true) ?? first;
}

/** The labels with the zone of a node, by its name and by its id. */
const zoneKeys = ["topology.kubernetes.io/zone", "topology.k8s.aws/zone-id"];

/** The zones that the requirements of a NodePool name. Without any, its node class selects the subnets, perhaps of one zone. */
function zonesOfPool(pool: Resource): Count {
  const requirements = namedBy(pool.list(placeOf(pool)), ...zoneKeys);
  const zones = requirements.named.map((one) => one.list("values"));
  const least = zones[0]?.value?.length ?? 1;
  const open = any(requirements.open, openIn(...zones));
  return { least, most: open === false ? least : Number.POSITIVE_INFINITY, open };
}

/**
 * The number of zones of a node group. For subnets of the stack their zones count; otherwise each subnet may be in another
 * zone. A group without subnets counts as one zone.
 */
export function zonesOf(group: Resource, stack: Stack): Count {
  const place = placeOf(group);
  if (nodePools.includes(group.type)) return zonesOfPool(group);
  const list = group.list(place);
  const length = list.value?.length ?? 1;
  const open = openIn(list);
  if (open !== false) return { least: 1, most: Number.POSITIVE_INFINITY, open };
  if (length <= 1) return { least: 1, most: 1, open };

  const subnets = stack.behind(group, place, subnet);
  const isOfZones = place === "availabilityZones";
  if (!isOfZones && subnets.length !== length) return { least: 1, most: length, open };
  const ofSubnets = subnets.map((one) => {
    const byName = one.text("availabilityZone");
    return byName.isAbsent === true ? one.text("availabilityZoneId") : byName;
  });
  const zones = isOfZones ? (list.value ?? []).map((one) => one.text()) : ofSubnets;
  const known = new Set(zones.flatMap(({ value }) => value ?? [])).size;
  const others = zones.filter(({ value }) => value === undefined);
  return {
    least: Math.max(1, known),
    most: Math.max(1, known + others.length),
    open: openIn(...others.slice(0, 20)),
  };
}
