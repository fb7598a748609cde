import { Netmask } from "netmask";
import { join } from "../../core/checks";
import { parseCidr } from "../../core/cidr-form";
import { show, type Problem } from "../../core/problems";
import { each, list } from "../checks";
import { cidrProblems, overlap, type PrefixRange } from "../cidr";

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

/** Subnets of the default layout are never larger: 1019 addresses of 1024 are enough for a lab's zone. */
const largestDefaultPrefix = 22;

/** Nor smaller: a /24 holds the nodes of a lab in one zone with an address for each pod, and load balancers. */
const smallestDefaultPrefix = 24;

/** The first zones are laid out all public, then all private; each further zone comes behind them as a pair. */
const zonesLaidOutTogether = 3;

/**
 * An Application Load Balancer wants a /27.
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html
 */
const publicPrefixes: PrefixRange = {
  largest: 16,
  smallest: 27,
  why: "AWS makes subnets from /16 to /28, and a load balancer needs a public one of /27 or larger.",
};

/**
 * With prefix delegation a node takes its pods' addresses as whole /28 blocks, and a subnet's first and last are never
 * free. A /26 leaves two, 32 pods: less than one node with maxPods 50. A /25 leaves six.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-prefix-eni.html
 */
const privatePrefixes: PrefixRange = {
  largest: 16,
  smallest: 25,
  why: "AWS makes subnets from /16 to /28, and one smaller than /25 has no room for the pods of a single node (/24 or larger is advised).",
};

/**
 * The blocks of a VPC's subnets: the explicit ones, or the default layout, contiguous from the VPC's first address in
 * equal blocks as large as fit, at most /22. Three zones of 192.168.0.0/16 get public 0.0, 4.0 and 8.0, private 12.0,
 * 16.0 and 20.0. The arguments must be free of {@link subnetPlanProblems}.
 *
 * The layout is stable from three zones on: a fourth, fifth or sixth zone at the end of the list gets blocks 7 and 8,
 * 9 and 10, 11 and 12 and moves no other, unless the VPC is so small that all blocks must shrink (from four
 * zones to five in a VPC smaller than /18). Any other change of the zones replaces subnets, and AWS refuses a new one
 * that overlaps an old: going from two zones to three moves the private blocks; another order of the zones, or a zone
 * removed before the end, moves blocks to other zones. Destroy the environment first then.
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

/** The same arguments before they are checked: their types are not to be trusted. */
export interface UncheckedSubnetPlanArgs {
  /** The VPC's block; undefined when it is not valid, which others report. */
  readonly vpc: Netmask | undefined;
  /** Undefined when the zones are not valid, which others report. */
  readonly zoneCount: number | undefined;
  readonly publicSubnetCidrs: unknown;
  readonly privateSubnetCidrs: unknown;
}

/** Whether the subnets fit: each in the VPC, none on another, one of each kind in a zone, large enough for its use. */
export function subnetPlanProblems(args: UncheckedSubnetPlanArgs, at = ""): Problem[] {
  const { vpc, zoneCount, publicSubnetCidrs, privateSubnetCidrs } = args;
  if (publicSubnetCidrs === undefined && privateSubnetCidrs === undefined) {
    return vpc && zoneCount !== undefined ? defaultLayoutProblems(vpc, zoneCount, at) : [];
  }
  const publicPath = join(at, "publicSubnetCidrs");
  const privatePath = join(at, "privateSubnetCidrs");
  return [
    ...blocksProblems(publicPath, publicSubnetCidrs, publicPrefixes, args, privatePath),
    ...blocksProblems(privatePath, privateSubnetCidrs, privatePrefixes, args, publicPath),
    ...overlapProblems([...blocksOf(publicPath, publicSubnetCidrs), ...blocksOf(privatePath, privateSubnetCidrs)]),
  ];
}

function defaultLayoutProblems(vpc: Netmask, zoneCount: number, at: string): Problem[] {
  const prefix = defaultPrefix(vpc, zoneCount);
  if (prefix <= smallestDefaultPrefix) return [];
  const why =
    `Its ${2 * zoneCount} subnets in ${zoneCount} zones would be /${prefix}, ` +
    `and the default layout makes none smaller than /${smallestDefaultPrefix}.`;
  const large = smallestDefaultPrefix - (prefix - vpc.bitmask);
  const path = join(at, "cidr");
  const lists = `${join(at, "publicSubnetCidrs")} and ${join(at, "privateSubnetCidrs")}`;
  const fix = `set ${path} to a /${large} or larger, or state ${lists}`;
  return [{ code: "out-of-range", path, got: vpc.toString(), why, fix }];
}

function blocksProblems(
  path: string,
  got: unknown,
  range: PrefixRange,
  { vpc, zoneCount }: UncheckedSubnetPlanArgs,
  otherPath: string,
): Problem[] {
  if (got === undefined) {
    const why = `${otherPath} is stated, and the default layout does not know which addresses that leaves.`;
    return [{ code: "missing", path, got, why, fix: `state ${path} as well, or neither` }];
  }
  if (!Array.isArray(got)) return list(path, got, '["192.168.0.0/22", "192.168.4.0/22"]');
  const problems = each(path, got, (itemPath, item) => [
    ...cidrProblems(itemPath, item, range),
    ...outsideProblems(itemPath, item, vpc),
  ]);
  if (zoneCount === undefined || got.length === zoneCount) return problems;
  const why = `There must be one block in a zone: ${zoneCount} zones, ${got.length} blocks.`;
  return [{ code: "conflict", path, got, why, fix: `list ${zoneCount} blocks, or change the zones` }, ...problems];
}

function outsideProblems(path: string, got: unknown, vpc: Netmask | undefined): Problem[] {
  const block = parseCidr(got);
  if (!block || !vpc || vpc.contains(block)) return [];
  const why = `It is not inside the VPC's ${vpc.toString()}.`;
  return [{ code: "conflict", path, got, why, fix: `choose a block inside ${vpc.toString()}` }];
}

interface PlacedBlock {
  readonly path: string;
  readonly got: unknown;
  readonly block: Netmask;
}

function blocksOf(path: string, got: unknown): PlacedBlock[] {
  if (!Array.isArray(got)) return [];
  return got.flatMap((item: unknown, index) => {
    const block = parseCidr(item);
    return block ? [{ path: `${path}[${index}]`, got: item, block }] : [];
  });
}

function overlapProblems(blocks: readonly PlacedBlock[]): Problem[] {
  return blocks.flatMap((later, index) =>
    blocks
      .slice(0, index)
      .filter((earlier) => overlap(earlier.block, later.block))
      .map((earlier): Problem => {
        const why = `It overlaps ${earlier.path}, ${show(earlier.got)}.`;
        return {
          code: "conflict",
          path: later.path,
          got: later.got,
          why,
          fix: `move ${later.path} or ${earlier.path}`,
        };
      }),
  );
}
