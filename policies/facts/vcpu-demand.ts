import { Reading } from "../../components/core/reader/reading";
import { all, any, Undetermined, type Truth } from "../../components/core/reader/truth";
import { instanceType } from "../../components/nodes/machine/instance-types";
import { matchesAny } from "../engine/glob";
import { numbers } from "../engine/parameters";
import type { Resource, Stack } from "../engine/resource";
import { templatesOf } from "./launch-templates";
import {
  gpuNodeGroup,
  groupsOf,
  machineTypes,
  managedNodeGroup,
  nodeGroup,
  nodeGroupV2,
  scalingGroup,
  sizesOf,
} from "./node-groups";

export const instance = "aws:ec2/instance:Instance";

/**
 * What AWS counts GPU instances against, in vCPUs. Capacity Blocks have no part in it.
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

/** A new account has none of them; eight vCPUs are what this library's lab asks AWS for. */
const quotas: Readonly<Record<BucketName, number>> = { gOnDemand: 8, gSpot: 0, pOnDemand: 0, pSpot: 0 };

/** Parameters of the rules that count vCPUs. */
export const vcpuParameters = {
  quotas: numbers(
    quotas,
    "The account's quotas in vCPUs: gOnDemand, gSpot, pOnDemand, pSpot. One that is left out has its default.",
    Object.keys(quotas),
  ),
  vcpus: numbers({}, "The vCPUs of instance types that the library's table lacks, by name."),
};

export function quotaOf(name: BucketName, configured: Readonly<Record<string, number>>): number {
  return (Object.hasOwn(configured, name) ? configured[name] : undefined) ?? quotas[name];
}

/** Types that start instances. */
export const demandTypes: readonly string[] = [
  gpuNodeGroup,
  nodeGroup,
  managedNodeGroup,
  nodeGroupV2,
  scalingGroup,
  instance,
];

/** Something that starts instances, and which. */
export interface Starter {
  readonly group: Resource;
  readonly types: readonly Reading<string>[];
  readonly most: Reading<number>;
}

export function starterOf(group: Resource, stack: Stack): Starter {
  return { group, types: machineTypes(group, stack), most: mostOf(group) };
}

/** What starts instances in a stack, but for what is exempt. A component stands for the group that it makes. */
export function startersOf(stack: Stack, exempt: readonly string[] = []): Starter[] {
  return groupsOf(stack, demandTypes)
    .filter(({ name }) => !matchesAny(name, exempt))
    .map((group) => starterOf(group, stack));
}

/** What a group takes of one quota at its largest. */
export interface Demand extends Starter {
  readonly share: Share;
  /** As far as it is known: never less. */
  readonly vcpus: number;
  /** Of its largest instance type, as far as it is known. */
  readonly perNode: number;
  /** What it may take besides, once it is known. */
  readonly open: readonly Undetermined[];
  /** Types that count, but the table has no vCPUs of them. */
  readonly uncounted: readonly Reading<string>[];
}

export function demandOf(
  starter: Starter,
  stack: Stack,
  bucket: Bucket,
  table: Readonly<Record<string, number>>,
): Demand {
  const share = shareOf(starter.group, starter.most, stack, bucket.market);
  const open: Undetermined[] = [];
  const uncounted: Reading<string>[] = [];
  let perNode = 0;
  for (const type of starter.types) {
    const counts = all(
      type.is((name) => letterOf(name) === bucket.letter),
      share.isSome,
    );
    const vcpus = vcpusOf(type.value ?? "", table);
    if (counts instanceof Undetermined) open.push(counts);
    else if (counts && vcpus === undefined) uncounted.push(type);
    else if (counts) perNode = Math.max(perNode, vcpus ?? 0);
  }
  return { ...starter, share, perNode, vcpus: perNode * share.nodes, open: open.slice(0, 5), uncounted };
}

/** Nobody states how many an instance is. */
function mostOf(group: Resource): Reading<number> {
  const sizes = sizesOf[group.type];
  if (!sizes) return Reading.known("instanceType", 1, "1");
  const most = group.integer(sizes.max);
  return sizes.unstated ? most.or(sizes.unstated.max) : most;
}

function letterOf(name: string): "g" | "p" | undefined {
  const code = instanceType(name)?.quotaCodes.onDemand;
  if (code !== undefined)
    return code === buckets.gOnDemand.code ? "g" : code === buckets.pOnDemand.code ? "p" : undefined;
  return /^p\d/.test(name) ? "p" : /^(g|gr|vt)\d/.test(name) ? "g" : undefined;
}

function vcpusOf(name: string, table: Readonly<Record<string, number>>): number | undefined {
  return Object.hasOwn(table, name) ? table[name] : instanceType(name)?.vcpus;
}

export type Market = "on-demand" | "spot";

const ofEks = [nodeGroup, managedNodeGroup, gpuNodeGroup];

/** How many instances of a group are in one market at its largest. */
export interface Share {
  /** As far as it is known: never more. */
  readonly nodes: number;
  readonly isSome: Truth;
  /** Whether the other market has its share too. */
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

/** What a group states of its market: EKS by a word, others in the launch template, or by the shares of a mix. */
function isMarket(group: Resource, stack: Stack, market: Market): Truth | "mixed" {
  if (ofEks.includes(group.type)) {
    const word = market === "spot" ? "SPOT" : "ON_DEMAND";
    const capacity = group.text("capacityType").or("ON_DEMAND");
    return capacity.is((type) => type === word);
  }
  const stated = [group, ...templatesOf(stack, group)]
    .map((holder) => holder.text("instanceMarketOptions.marketType"))
    .find(({ isAbsent }) => isAbsent !== true);
  return stated ? stated.is((type) => type === market) : "mixed";
}

/**
 * An Auto Scaling group starts its base on demand, and of what is above it a share, rounded up; the rest is spot. One
 * that states no shares has nothing but instances on demand.
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
