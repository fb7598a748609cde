import { Netmask } from "netmask";
import type { Problem } from "../../core/problems";
import { list } from "../../core/schema";
import { join } from "../../core/reader/paths";
import { countOf } from "../../core/text";
import { cidrBlock, overlap, type PrefixRange } from "../cidr";

/** The blocks of a VPC's subnets: `public[i]` and `private[i]` lie in zone i. */
export interface SubnetPlan {
  readonly public: readonly string[];
  readonly private: readonly string[];
}

/** What the blocks follow from; the names are those of VpcArgs. */
export interface SubnetPlanArgs {
  readonly cidr: string;
  readonly zoneCount: number;
  readonly publicSubnetCidrs?: readonly string[] | undefined;
  readonly privateSubnetCidrs?: readonly string[] | undefined;
}

/** The largest subnet of the default layout: 1019 usable addresses are enough for one zone of a lab. */
const largestDefaultPrefix = 22;

/**
 * The smallest subnet of the default layout: a /24 is sufficient for the nodes, pods and load balancers of a lab in one
 * zone.
 */
const smallestDefaultPrefix = 24;

/** The first zones get all public blocks, then all private ones; each further zone adds a pair behind them. */
const zonesLaidOutTogether = 3;

/**
 * An Application Load Balancer needs a /27.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html
 */
const publicPrefixes: PrefixRange = {
  largest: 16,
  smallest: 27,
  why: "AWS creates subnets from /16 to /28, and a load balancer needs a public subnet of /27 or larger.",
};

/**
 * With prefix delegation a node allocates pod addresses in blocks of /28, and the first and last block of a subnet are
 * never free. A /26 leaves two blocks, 32 pods: less than one node with maxPods 50. A /25 leaves six.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-prefix-eni.html
 */
const privatePrefixes: PrefixRange = {
  largest: 16,
  smallest: 25,
  why: "AWS creates subnets from /16 to /28, and a subnet smaller than /25 has too few addresses for the pods of a single node; use /24 or larger.",
};

const example = '["192.168.0.0/22", "192.168.4.0/22"]';

/** Explicit blocks of public subnets. */
export const publicSubnetCidrs = () => list(cidrBlock(publicPrefixes), example);

/** Explicit blocks of private subnets. */
export const privateSubnetCidrs = () => list(cidrBlock(privatePrefixes), example);

/**
 * The blocks of a VPC's subnets: the explicit ones, or the default layout. The default layout is contiguous from the
 * VPC's first address, in equal blocks as large as fit, at most /22. Three zones of 192.168.0.0/16 get public 0.0, 4.0
 * and 8.0, private 12.0, 16.0 and 20.0. The arguments must have no `subnetPlanConflicts`.
 *
 * The layout is stable from three zones on: a fourth, fifth or sixth zone at the end of the list gets blocks 7 and 8,
 * 9 and 10, 11 and 12 and moves no other. The exception is a VPC smaller than /18, where all blocks shrink from four
 * zones to five. Any other change of the zones replaces subnets: going from two zones to three moves the private blocks;
 * reordering zones, or removing one before the end, moves blocks to other zones. AWS rejects a new subnet that overlaps
 * an old one, so destroy the environment before such a change.
 */
export function subnetPlan(args: SubnetPlanArgs): SubnetPlan {
  const { publicSubnetCidrs, privateSubnetCidrs } = args;
  if (publicSubnetCidrs && privateSubnetCidrs) return { public: publicSubnetCidrs, private: privateSubnetCidrs };
  const vpc = new Netmask(args.cidr);
  const first = new Netmask(vpc.base, defaultPrefix(vpc, args.zoneCount));
  const block = (slot: number): string => first.next(slot).toString();
  const zones = [...Array(args.zoneCount).keys()];
  const together = Math.min(args.zoneCount, zonesLaidOutTogether);
  return {
    public: zones.map((zone) => block(zone < together ? zone : 2 * zone)),
    private: zones.map((zone) => block(zone < together ? together + zone : 2 * zone + 1)),
  };
}

function defaultPrefix(vpc: Netmask, zoneCount: number): number {
  return Math.max(largestDefaultPrefix, vpc.bitmask + Math.ceil(Math.log2(2 * zoneCount)));
}

/** Whether the subnets fit: each inside the VPC, without overlap, one of each kind in a zone. */
export function subnetPlanConflicts(args: SubnetPlanArgs, at: string): Problem[] {
  const { publicSubnetCidrs, privateSubnetCidrs } = args;
  const publicPath = join(at, "publicSubnetCidrs");
  const privatePath = join(at, "privateSubnetCidrs");
  if (!publicSubnetCidrs && !privateSubnetCidrs) return defaultLayoutConflicts(args, at);
  if (!publicSubnetCidrs) return missingBlocks(publicPath, privatePath);
  if (!privateSubnetCidrs) return missingBlocks(privatePath, publicPath);
  return [
    ...blockConflicts(publicPath, publicSubnetCidrs, args),
    ...blockConflicts(privatePath, privateSubnetCidrs, args),
    ...overlaps([...placed(publicPath, publicSubnetCidrs), ...placed(privatePath, privateSubnetCidrs)]),
  ];
}

function defaultLayoutConflicts({ cidr, zoneCount }: SubnetPlanArgs, at: string): Problem[] {
  const vpc = new Netmask(cidr);
  const prefix = defaultPrefix(vpc, zoneCount);
  if (prefix <= smallestDefaultPrefix) return [];
  const why =
    `The ${2 * zoneCount} subnets in ${zoneCount} zones would be /${prefix}, ` +
    `and the default layout creates none smaller than /${smallestDefaultPrefix}.`;
  const large = smallestDefaultPrefix - (prefix - vpc.bitmask);
  const path = join(at, "cidr");
  const lists = `${join(at, "publicSubnetCidrs")} and ${join(at, "privateSubnetCidrs")}`;
  const fix = `set ${path} to a /${large} or larger, or set ${lists}`;
  return [{ code: "out-of-range", path, got: cidr, why, fix }];
}

function missingBlocks(path: string, otherPath: string): Problem[] {
  const why = `${otherPath} is set, and the default layout does not know which addresses remain.`;
  return [{ code: "missing", path, got: undefined, why, fix: `set both ${path} and ${otherPath}, or neither` }];
}

function blockConflicts(path: string, got: readonly string[], { cidr, zoneCount }: SubnetPlanArgs): Problem[] {
  const vpc = new Netmask(cidr);
  const outside = got.flatMap((item, index): Problem[] => {
    if (vpc.contains(new Netmask(item))) return [];
    const why = `Must be inside the VPC's block ${cidr}.`;
    return [{ code: "conflict", path: `${path}[${index}]`, got: item, why, fix: `choose a block inside ${cidr}` }];
  });
  if (got.length === zoneCount) return outside;
  const why = `Must have one block per zone: ${zoneCount} zones, ${countOf(got.length, "block")}.`;
  return [{ code: "conflict", path, got, why, fix: `list ${zoneCount} blocks, or change the zones` }, ...outside];
}

interface PlacedBlock {
  readonly path: string;
  readonly got: string;
  readonly block: Netmask;
}

function placed(path: string, cidrs: readonly string[]): PlacedBlock[] {
  return cidrs.map((got, index) => ({ path: `${path}[${index}]`, got, block: new Netmask(got) }));
}

function overlaps(blocks: readonly PlacedBlock[]): Problem[] {
  return blocks.flatMap(({ path, got, block }, index) =>
    blocks
      .slice(0, index)
      .filter((earlier) => overlap(earlier.block, block))
      .map((earlier): Problem => {
        const why = `Overlaps ${earlier.path}, ${earlier.got}.`;
        return { code: "conflict", path, got, why, fix: `move ${path} or ${earlier.path}` };
      }),
  );
}
