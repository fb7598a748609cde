import { instanceType } from "../../../components/nodes/machine/instance-types";
import { numbers } from "../../core/parameters";
import { Reading } from "../../core/reading";
import type { Resource, Stack } from "../../core/resource";
import { all, Undetermined, type Truth } from "../../core/unknown";
import { templatesOf } from "../machines/launch-template";
import { gpuNodeGroup, machineTypes, managedNodeGroup, nodeGroup, nodeGroupV2, scalingGroup } from "../nodes/gpu-group";

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

/** What starts instances in a stack. A `GpuNodeGroup` stands for the group it makes. */
export function startersOf(stack: Stack): Starter[] {
  const components = new Set(
    stack
      .ofType(gpuNodeGroup)
      .filter(({ isEmpty }) => !isEmpty)
      .map(({ name }) => name),
  );
  return stack
    .ofType(...demandTypes)
    .filter((one) => !(one.type === nodeGroup && one.isInside(gpuNodeGroup) && components.has(one.name)))
    .map((group) => starterOf(group, stack));
}

/** What a group takes of one quota at its largest. */
export interface Demand extends Starter {
  /** As far as it is known: never less. */
  readonly vcpus: number;
  /** Of its largest instance type, as far as it is known. */
  readonly perNode: number;
  /** What it may take besides, once it is known. */
  readonly open: readonly Undetermined[];
}

export function demandOf(
  starter: Starter,
  stack: Stack,
  bucket: Bucket,
  table: Readonly<Record<string, number>>,
): Demand {
  const { types, most } = starter;
  const market = isMarket(starter.group, stack, bucket.market);
  const open: Undetermined[] = [];
  let perNode = 0;
  for (const type of types) {
    const counts = all(
      type.is((name) => letterOf(name) === bucket.letter),
      most.is((size) => size > 0),
      market,
    );
    const vcpus = type.value === undefined ? undefined : vcpusOf(type.value, table);
    if (counts instanceof Undetermined) open.push(counts);
    else if (counts && vcpus === undefined) open.push(new Undetermined([type.path]));
    else if (counts) perNode = Math.max(perNode, vcpus ?? 0);
  }
  return { ...starter, perNode, vcpus: perNode * (most.value ?? 0), open: open.slice(0, 5) };
}

/** Nobody states how many an instance is, and @pulumi/eks makes two of what says nothing. */
function mostOf(group: Resource): Reading<number> {
  if (group.type === instance) return Reading.known("instanceType", 1, "1");
  if (group.type === nodeGroup) return group.integer("scalingConfig.maxSize");
  if (group.type === managedNodeGroup) return group.integer("scalingConfig.maxSize").or(2);
  return group.type === scalingGroup ? group.integer("maxSize") : group.integer("maxSize").or(2);
}

/** A mix of spot and on-demand instances counts as neither. */
function isMarket(group: Resource, stack: Stack, market: "on-demand" | "spot"): Truth {
  const onDemand = market === "on-demand";
  if (group.type === nodeGroup || group.type === managedNodeGroup || group.type === gpuNodeGroup) {
    return group
      .text("capacityType")
      .or("ON_DEMAND")
      .is((type) => type === (onDemand ? "ON_DEMAND" : "SPOT"));
  }
  const share = group
    .at("mixedInstancesPolicy.instancesDistribution")
    .integer("onDemandPercentageAboveBaseCapacity")
    .or(100);
  const base = group.at("mixedInstancesPolicy.instancesDistribution").integer("onDemandBaseCapacity").or(0);
  const ofMix = onDemand
    ? share.is((percent) => percent === 100)
    : all(
        share.is((percent) => percent === 0),
        base.is((nodes) => nodes === 0),
      );
  const holders = [group, ...templatesOf(stack, group)];
  const stated = holders
    .map((holder) => holder.text("instanceMarketOptions.marketType"))
    .find(({ isAbsent }) => isAbsent !== true);
  if (!stated) return ofMix;
  return stated.is((type) => type === market);
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
