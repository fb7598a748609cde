import { all, equals, not, some, Undetermined, type Reading, type Truth } from "../engine/values";
import { ownValue } from "../../components/core/reader/records";
import { instanceType } from "../../components/nodes/machine/instance-types";
import { matchesAny } from "../engine/glob";
import { numbers, type ValuesOf } from "../engine/parameters";
import type { Resource, Stack, Surroundings } from "../engine/resource";
import { optionsOf, peakOf, type Option } from "./node-counts";
import type { Market } from "./node-source";
import { countedTypes, machinesOf, typesOf, warmPool } from "./node-sources";
import { machineTemplates, templatesOf } from "./launch-templates";
import { allowsMarket } from "./karpenter";
import { openIn } from "./lists";
import { groupsOf } from "./node-groups";

/**
 * The quotas for GPU instances, in vCPUs. Capacity Blocks do not count.
 * @see https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html
 */
const buckets = {
  gOnDemand: { letter: "g", market: "on-demand", code: "L-DB2E81BA", title: "G and VT instances on demand" },
  gSpot: { letter: "g", market: "spot", code: "L-3819A6DF", title: "G and VT spot instances" },
  pOnDemand: { letter: "p", market: "on-demand", code: "L-417A185B", title: "P instances on demand" },
  pSpot: { letter: "p", market: "spot", code: "L-7212CCBC", title: "P spot instances" },
} as const;

type BucketName = keyof typeof buckets;
type Bucket = (typeof buckets)[BucketName];

/** A quota of the account, by its name in the policy configuration. */
export type Quota = Bucket & { readonly name: BucketName; readonly vcpus: number };

/** New accounts have 0. The lab of this library needs 8 vCPUs. */
const quotas: Readonly<Record<BucketName, number>> = { gOnDemand: 8, gSpot: 0, pOnDemand: 0, pSpot: 0 };

/** The parameters of the rules that count vCPUs. */
export const vcpuParameters = {
  quotas: numbers(
    quotas,
    "The quotas of the account in vCPUs: gOnDemand, gSpot, pOnDemand, pSpot. A quota that is not set keeps its default.",
    Object.keys(quotas),
  ),
  vcpus: numbers({}, "The vCPUs of instance types that are not in the table of the library, by name."),
};

const awsProvider = "pulumi:providers:aws";

/** The types that rules need to count vCPUs. */
export const demandTypes: readonly string[] = [
  ...countedTypes,
  ...machineTemplates,
  ...typesOf("schedule"),
  warmPool,
  awsProvider,
];

/** A resource that starts instances, and their types and maximum number. */
interface InstanceSource {
  readonly group: Resource;
  readonly types: readonly Reading<string>[];
  readonly most: Reading<number>;
}

/** Karpenter chooses the cheapest type that fits, so of a pool with limits the type counts that has the least vCPUs at them. */
function sourceOf(group: Resource, stack: Stack): InstanceSource {
  const [most, options] = [peakOf(group, stack), optionsOf(group, stack)];
  const isPool = machinesOf(group.type).limits !== undefined && most.isAbsent === true;
  if (!isPool || options.length === 0) return { group, most, types: options.map(({ type }) => type) };
  const vcpusAt = ({ type, most: { value = 0 } }: Option) => value * (instanceType(type.value ?? "")?.vcpus ?? 0);
  const open = options.find((option) => option.most.value === undefined);
  const fitting = options.filter((option) => option.most.value !== 0);
  const [least] = open ? [open] : fitting.sort((a, b) => vcpusAt(a) - vcpusAt(b));
  return { group, most: least?.most ?? most, types: least ? [least.type] : [] };
}

/**
 * For each quota of each region: what the groups of a stack need of it, except exempt ones. A component replaces the group
 * that it creates.
 */
export function* demandsByQuota(
  stack: Stack,
  surroundings: Surroundings,
  configured: ValuesOf<typeof vcpuParameters> & { readonly exempt: readonly string[] },
) {
  const groups = groupsOf(stack, countedTypes).filter(({ name }) => !matchesAny(name, configured.exempt));
  const placed = groups.map((group) => ({ group, region: regionOf(group, stack, surroundings) }));
  for (const region of new Set(placed.map((one) => one.region))) {
    const inRegion = placed.filter((one) => one.region === region).map(({ group }) => sourceOf(group, stack));
    for (const name of Object.keys(buckets) as BucketName[]) {
      const quota: Quota = { ...buckets[name], name, vcpus: ownValue(configured.quotas, name) ?? quotas[name] };
      const needOf = (source: InstanceSource) => demandOf(source, stack, quota, configured.vcpus);
      const demandOfGroup = (group: Resource) => needOf(sourceOf(group, stack));
      yield { region, quota, demands: inRegion.map(needOf), demandOf: demandOfGroup };
    }
  }
}

/** The region of a resource, of its provider or of the stack; the URN of the provider if that has one that is not known. */
export function regionOf(resource: Resource, stack: Stack, { config }: Surroundings): string {
  const own = resource.text("region").value;
  if (own !== undefined) return own;
  // A component has no provider of its own.
  const urn = resource.provider ?? stack.resources.find((one) => one.parent === resource.urn && one.provider)?.provider;
  const provider = stack.ofType(awsProvider).find((one) => one.urn === urn);
  const region = provider?.text("region");
  if (provider && region?.isUnknown) return provider.urn;
  return region?.value ?? config.text("aws:region").value ?? "";
}

/** What counts together: instances can run in reservations of their types, of which only the rest counts. */
export function together(demands: readonly Demand[]): readonly Demand[] {
  const isReserved = ({ group }: Demand) => machinesOf(group.type).kind === "reservation";
  const others = demands.filter((one) => !isReserved(one));
  const left = new Map<string | undefined, number>();
  const reserved = demands.filter(isReserved).map((one) => {
    const type = one.types[0]?.value;
    const users = others.filter(({ types }) => types.some(({ value = type }) => value === type));
    const usable = left.get(type) ?? sumOf(users);
    left.set(type, Math.max(0, usable - one.vcpus));
    return { ...one, vcpus: Math.max(0, one.vcpus - usable) };
  });
  return [...others, ...reserved];
}

export function sumOf(demands: readonly Demand[]): number {
  return demands.reduce((total, { vcpus }) => total + vcpus, 0);
}

/** The demand of a group for one quota, at its maximum size. */
export interface Demand extends InstanceSource {
  readonly share: Share;
  /** The known part: at least this many. */
  readonly vcpus: number;
  /** Of the largest known instance type. */
  readonly perNode: number;
  /** Unknown values that may add to the demand. */
  readonly open: readonly Undetermined[];
  /** Instance types that count, but are not in the table. */
  readonly uncounted: readonly Reading<string>[];
}

function demandOf(
  source: InstanceSource,
  stack: Stack,
  bucket: Bucket,
  table: Readonly<Record<string, number>>,
): Demand {
  const share = shareOf(source, stack, bucket.market);
  const open: Undetermined[] = [];
  const uncounted: Reading<string>[] = [];
  const { isInVcpus } = machinesOf(source.group.type);
  let perNode = 0;
  for (const type of source.types) {
    const isOfBucket = type.is((name) => letterOf(name) === bucket.letter);
    const counts = all(isOfBucket, share.isSome);
    const vcpus = isInVcpus ? 1 : (ownValue(table, type.value ?? "") ?? instanceType(type.value ?? "")?.vcpus);
    if (counts instanceof Undetermined) open.push(counts);
    else if (counts && vcpus === undefined) uncounted.push(type);
    else if (counts) perNode = Math.max(perNode, vcpus ?? 0);
  }
  return { ...source, share, perNode, vcpus: perNode * share.nodes, open: open.slice(0, 5), uncounted };
}

function letterOf(name: string): "g" | "p" | undefined {
  const code = instanceType(name)?.quotaCodes.onDemand;
  if (code !== undefined) return Object.values(buckets).find((bucket) => bucket.code === code)?.letter;
  return /^p\d/.test(name) ? "p" : /^(g|gr|vt)\d/.test(name) ? "g" : undefined;
}

/** The instances of a group in one market, at its maximum size. */
interface Share {
  /** The known number: at most this many.  */
  readonly nodes: number;
  readonly isSome: Truth;
  /** Whether the group uses both markets. */
  readonly isMixed: boolean;
}

function shareOf({ group, most }: InstanceSource, stack: Stack, market: Market): Share {
  const isIn = isMarket(group, stack, market);
  const hasNodes = most.is((number) => number > 0);
  if (isIn === "mixed") return ofMix(group, most, hasNodes, market);
  const isSome = all(hasNodes, isIn);
  return { nodes: isSome === true ? (most.value ?? 0) : 0, isSome, isMixed: false };
}

/** The market of a group: a property of EKS groups, or in the launch template, or both markets of a mix. */
export function isMarket(group: Resource, stack: Stack, market: Market): Truth | "mixed" {
  const { kind, requirements, capacity, market: only } = machinesOf(group.type);
  if (only !== undefined) return market === only;
  if (requirements !== undefined) return allowsMarket(group.list(requirements), market);
  const isGroup = kind === "component" || kind === "managed";
  const split = fleetSplit.map((path) => group.integer(path)).find(({ isAbsent }) => isAbsent !== true);
  if (split) return new Undetermined([split.path]);
  if (capacity !== undefined || isGroup) {
    const isOf = (pattern: RegExp) => group.text(capacity ?? "capacityType").is((word) => pattern.test(word));
    return market === "spot" ? isOf(/^spot$/i) : not(isOf(/spot|block/i));
  }
  const holders = [group, ...templatesOf(stack, group)];
  const isBid = some(holders, (holder) => not(holder.text("spotPrice").isAbsent));
  if (isBid !== false) return isBid === true ? market === "spot" : isBid;
  const stated = holders
    .map((holder) => holder.text("instanceMarketOptions.marketType"))
    .find(({ isAbsent }) => isAbsent !== true);
  return stated ? equals(stated, market) : "mixed";
}

/** The shares of a fleet in both markets. */
const fleetSplit = ["onDemand", "spot"].map((market) => `targetCapacitySpecification.${market}TargetCapacity`);

/**
 * An Auto Scaling group starts its base capacity on demand, and a percentage of the rest, rounded up. The other
 * instances are spot. Without a percentage all instances are on demand.
 * @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_InstancesDistribution.html
 */
function ofMix(group: Resource, most: Reading<number>, hasNodes: Truth, market: Market): Share {
  const distribution = group.at("mixedInstancesPolicy.instancesDistribution");
  const percent = distribution.integer("onDemandPercentageAboveBaseCapacity").or(100);
  const base = distribution.integer("onDemandBaseCapacity").or(0);
  const waits = openIn(percent, base, most);
  if (waits !== false) return { nodes: 0, isSome: hasNodes === false ? false : waits, isMixed: true };
  const size = Math.max(0, most.value ?? 0);
  const first = Math.min(size, Math.max(0, base.value ?? 0));
  const share = Math.min(100, Math.max(0, percent.value ?? 100));
  const onDemand = first + Math.ceil(((size - first) * share) / 100);
  const nodes = market === "spot" ? size - onDemand : onDemand;
  return { nodes, isSome: nodes > 0, isMixed: onDemand > 0 && onDemand < size };
}
