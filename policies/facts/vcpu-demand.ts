import type { Reading } from "../../components/core/reader/reading";
import { ownValue } from "../../components/core/reader/records";
import { all, any, not, Undetermined, type Truth } from "../../components/core/reader/truth";
import { instanceType } from "../../components/nodes/machine/instance-types";
import { matchesAny } from "../engine/glob";
import { numbers } from "../engine/parameters";
import type { Resource, Stack, Surroundings } from "../engine/resource";
import {
  capacityReservation,
  gpuNodeGroup,
  instance,
  instancesOf,
  kindOf,
  machinesOf,
  managedGroups,
  nodeGroupTypes,
  nodePools,
  sizeOf,
  sizesOf,
  spotInstance,
} from "./node-sources";
import { templatesOf } from "./launch-templates";
import { allowsMarket } from "./karpenter";
import { groupsOf, machineTypes } from "./node-groups";

/**
 * The quotas for GPU instances, in vCPUs. Capacity Blocks do not count.
 * @see https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html
 */
export const buckets = {
  gOnDemand: { letter: "g", market: "on-demand", code: "L-DB2E81BA", title: "G and VT instances on demand" },
  gSpot: { letter: "g", market: "spot", code: "L-3819A6DF", title: "G and VT spot instances" },
  pOnDemand: { letter: "p", market: "on-demand", code: "L-417A185B", title: "P instances on demand" },
  pSpot: { letter: "p", market: "spot", code: "L-7212CCBC", title: "P spot instances" },
} as const;

export type BucketName = keyof typeof buckets;
export type Bucket = (typeof buckets)[BucketName];

/** New accounts have 0. The lab of this library needs 8 vCPUs. */
const quotas: Readonly<Record<BucketName, number>> = { gOnDemand: 8, gSpot: 0, pOnDemand: 0, pSpot: 0 };

/** The parameters of the rules that count vCPUs. */
export const vcpuParameters = {
  quotas: numbers(
    quotas,
    "The quotas of the account in vCPUs: gOnDemand, gSpot, pOnDemand, pSpot. Missing ones have their defaults.",
    Object.keys(quotas),
  ),
  vcpus: numbers({}, "The vCPUs of instance types that are not in the table of the library, by name."),
};

export function quotaOf(name: BucketName, configured: Readonly<Record<string, number>>): number {
  return ownValue(configured, name) ?? quotas[name];
}

/** The types whose instances count. Units of fleets may have any number of vCPUs. */
const counted = [gpuNodeGroup, ...nodeGroupTypes, instance, spotInstance, capacityReservation, ...nodePools];

const awsProvider = "pulumi:providers:aws";

/** The types that rules need to count vCPUs. */
export const demandTypes: readonly string[] = [...counted, awsProvider];

/** A resource that starts instances, and their types and maximum number. */
export interface InstanceSource {
  readonly group: Resource;
  readonly types: readonly Reading<string>[];
  readonly most: Reading<number>;
}

export function sourceOf(group: Resource, stack: Stack): InstanceSource {
  return { group, types: machineTypes(group, stack), most: mostOf(group) };
}

/**
 * The resources of a stack that start instances, except exempt ones, by region: each has its own quotas. A component replaces
 * the group that it creates.
 */
export function sourcesByRegion(
  stack: Stack,
  surroundings: Surroundings,
  exempt: readonly string[] = [],
): ReadonlyMap<string, readonly InstanceSource[]> {
  const regions = new Map<string, InstanceSource[]>();
  for (const group of groupsOf(stack, counted)) {
    if (matchesAny(group.name, exempt)) continue;
    const region = regionOf(group, stack, surroundings);
    regions.set(region, [...(regions.get(region) ?? []), sourceOf(group, stack)]);
  }
  return regions;
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

/** What counts together: instances can run in reservations, so those that are more count. */
export function together(demands: readonly Demand[]): readonly Demand[] {
  const isReserved = ({ group }: Demand) => kindOf(group.type) === "reservation";
  const [reserved, others] = [demands.filter(isReserved), demands.filter((one) => !isReserved(one))];
  return sumOf(reserved) > sumOf(others) ? reserved : others;
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

export function demandOf(
  source: InstanceSource,
  stack: Stack,
  bucket: Bucket,
  table: Readonly<Record<string, number>>,
): Demand {
  const share = shareOf(source.group, source.most, stack, bucket.market);
  const open: Undetermined[] = [];
  const uncounted: Reading<string>[] = [];
  let perNode = 0;
  for (const type of source.types) {
    const counts = all(
      type.is((name) => letterOf(name) === bucket.letter),
      share.isSome,
    );
    const vcpus = vcpusOf(type.value ?? "", table);
    if (counts instanceof Undetermined) open.push(counts);
    else if (counts && vcpus === undefined) uncounted.push(type);
    else if (counts) perNode = Math.max(perNode, vcpus ?? 0);
  }
  return { ...source, share, perNode, vcpus: perNode * share.nodes, open: open.slice(0, 5), uncounted };
}

/** The maximum number of instances. */
function mostOf(group: Resource): Reading<number> {
  return sizesOf(group.type) ? sizeOf(group, "max") : instancesOf(group);
}

function letterOf(name: string): "g" | "p" | undefined {
  const code = instanceType(name)?.quotaCodes.onDemand;
  if (code !== undefined)
    return code === buckets.gOnDemand.code ? "g" : code === buckets.pOnDemand.code ? "p" : undefined;
  return /^p\d/.test(name) ? "p" : /^(g|gr|vt)\d/.test(name) ? "g" : undefined;
}

function vcpusOf(name: string, table: Readonly<Record<string, number>>): number | undefined {
  return ownValue(table, name) ?? instanceType(name)?.vcpus;
}

export type Market = "on-demand" | "spot";

const ofEks: readonly string[] = [gpuNodeGroup, ...managedGroups];

/** The instances of a group in one market, at its maximum size. */
export interface Share {
  /** The known number: at most this many.  */
  readonly nodes: number;
  readonly isSome: Truth;
  /** Whether the group uses both markets. */
  readonly isMixed: boolean;
}

export function shareOf(group: Resource, most: Reading<number>, stack: Stack, market: Market): Share {
  const isIn = isMarket(group, stack, market);
  const size = Math.max(0, most.value ?? 0);
  if (isIn === "mixed") return ofMix(group, most, market);
  const isSome = all(
    most.is((number) => number > 0),
    isIn,
  );
  return { nodes: isSome === true ? size : 0, isSome, isMixed: false };
}

/** The market of a group: a property of EKS groups, or in the launch template, or both markets of a mix. */
function isMarket(group: Resource, stack: Stack, market: Market): Truth | "mixed" {
  if (ofEks.includes(group.type)) {
    const word = market === "spot" ? "SPOT" : "ON_DEMAND";
    const capacity = group.text("capacityType").or("ON_DEMAND");
    return capacity.is((type) => type === word);
  }
  if (group.type === spotInstance) return market === "spot";
  if (group.type === capacityReservation) return market === "on-demand";
  if (nodePools.includes(group.type)) return allowsMarket(group.list(machinesOf(group.type).requirements), market);
  const holders = [group, ...templatesOf(stack, group)];
  const isBid = any(...holders.map((holder) => not(holder.text("spotPrice").isAbsent)));
  if (isBid !== false) return isBid === true ? market === "spot" : isBid;
  const stated = holders
    .map((holder) => holder.text("instanceMarketOptions.marketType"))
    .find(({ isAbsent }) => isAbsent !== true);
  return stated ? stated.is((type) => type === market) : "mixed";
}

/**
 * An Auto Scaling group starts its base capacity on demand, and a percentage of the rest, rounded up. The other
 * instances are spot. Without a percentage all instances are on demand.
 * @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_InstancesDistribution.html
 */
function ofMix(group: Resource, most: Reading<number>, market: Market): Share {
  const distribution = group.at("mixedInstancesPolicy.instancesDistribution");
  const percent = distribution.integer("onDemandPercentageAboveBaseCapacity").or(100);
  const base = distribution.integer("onDemandBaseCapacity").or(0);
  const size = Math.max(0, most.value ?? 0);
  const first = Math.min(size, Math.max(0, base.value ?? 0));
  const share = Math.min(100, Math.max(0, percent.value ?? 100));
  const onDemand = first + Math.ceil(((size - first) * share) / 100);
  const nodes = market === "spot" ? size - onDemand : onDemand;
  const waits = any(
    ...[percent, base].map((reading) => reading.is(() => false)),
    most.is(() => false),
  );
  if (waits === false) return { nodes, isSome: nodes > 0, isMixed: onDemand > 0 && onDemand < size };
  return { nodes: 0, isSome: isEmpty(most) ? false : waits, isMixed: true };
}

function isEmpty(most: Reading<number>): boolean {
  return most.is((size) => size > 0) === false;
}
