import { Reader } from "../../components/core/reader/reader";
import { unknownSentinel } from "../../components/core/wire";
import { unknownCost, unknownUsage, type CostLine, type UsageLine } from "../../components/cost/cost-line";
import {
  instances,
  publicIpv4Addresses,
  volumes,
  type CapacityType,
  type Volume,
} from "../../components/cost/cost-lines";
import { costNotes } from "../../components/cost/cost-notes";
import { price } from "../../components/cost/prices";
import {
  defaultDiskGiB,
  extraVolume,
  managedVolumes,
  rootVolume,
  templateVolumes,
} from "../../components/cost/volumes";
import { Resource, type Stack } from "../../policies/engine/resource";
import { hasExternalTemplate, templatesOf } from "../../policies/facts/launch-templates";
import { machineTypes, nodeGroupIn, overridesOf } from "../../policies/facts/node-groups";
import {
  cloudFormationStack,
  fleets,
  instancesOf,
  machinesOf,
  nodeTypes,
  pulumiGroups,
  sizeOf,
} from "../../policies/facts/node-sources";
import { isMarket } from "../../policies/facts/vcpu-demand";
import { inputsOf } from "../facts/resource-index";
import type { RecordedResource } from "../record/record";
import { asAnalyzed } from "../record/recorded-resource";
import type { PricingContext } from "./pricing-context";

/** Identical nodes: those of a node group or of an Auto Scaling group. */
export interface NodePool {
  readonly name: string;
  readonly region: string;
  /** More than one when EC2 may choose; none when they are known only after the update. */
  readonly instanceTypes: readonly string[];
  readonly capacityType: CapacityType;
  /** `undefined` when it is known only after the update. */
  readonly desiredSize: number | undefined;
  /** `undefined` when it is known only after the update. */
  readonly maxSize: number | undefined;
  /** Of each node. */
  readonly volumes: readonly Volume[];
  /** Whether each node gets a public IPv4 address. */
  readonly publicAddress: boolean;
}

/** The hourly cost of `size` nodes of a pool. */
export function poolLines(pool: NodePool, size: number | undefined): CostLine[] {
  if (size === 0) return [];
  return [
    ...instanceLines(pool, size),
    ...pool.volumes.flatMap((volume) => volumes(pool.region, volume, size)),
    ...publicIpv4Addresses(pool.region, pool.publicAddress ? size : 0),
  ];
}

/** Where EC2 may choose among types, the most expensive one counts: the amount is an upper bound. */
function instanceLines({ name, region, instanceTypes, capacityType }: NodePool, size: number | undefined): CostLine[] {
  const [first, ...others] = instanceTypes;
  if (first === undefined) {
    return [unknownCost(`instances of ${name}`, "instance-hour", size, costNotes.unknownInstanceType)];
  }
  if (others.length === 0) return instances(region, first, size, capacityType);
  const usd = (type: string) => price(region, type)?.usd ?? Infinity;
  const mostExpensive = others.reduce((max, type) => (usd(type) > usd(max) ? type : max), first);
  return instances(region, mostExpensive, size, capacityType, costNotes.instanceChoice(instanceTypes));
}

/** What creates nodes. What CloudFormation creates is the group of an eks.NodeGroup, which is counted. */
const poolTypes = new Set([...nodeTypes, ...fleets].filter((type) => type !== cloudFormationStack));

/** Whether resources of this type create nodes. */
export function createsNodes(type: string): boolean {
  return poolTypes.has(type);
}

/**
 * The nodes that a resource creates, as the rules read it; undefined for a resource that creates none. A pool of Karpenter
 * without a fixed number starts nodes for pods, and has none at rest.
 * @see https://www.pulumi.com/registry/packages/eks/api-docs/nodegroupv2/
 */
export function nodePool(resource: RecordedResource, context: PricingContext): NodePool | undefined {
  const group = createsNodes(resource.type) ? nodeGroupIn(new Resource(asAnalyzed(resource))) : undefined;
  if (!group) return undefined;
  const size = sizesOf(group);
  if (!size) return undefined;
  const { stack } = context;
  const template = templateOf(group, stack);
  const types = machineTypes(group, stack).map(({ value }) => value);
  const hasDefault = pulumiGroups.includes(group.type) || machinesOf(group.type).kind === "managed";
  return {
    name: resource.name,
    region: group.text("region").value ?? context.regionOf(resource),
    instanceTypes: types.length === 0 && hasDefault ? ["t3.medium"] : knownTypes(types),
    capacityType: capacityTypeOf(group, template, stack),
    ...size,
    volumes: volumesOf(group, template),
    publicAddress: hasPublicAddress(group, template, stack),
  };
}

/** None when one of them is known only after the update. */
function knownTypes(types: readonly (string | undefined)[]): readonly string[] {
  return types.every((type) => type !== undefined) ? types : [];
}

/** The number of instances of a fleet is not known if instance types have weights. */
function sizesOf(group: Resource): Pick<NodePool, "desiredSize" | "maxSize"> | undefined {
  if (machinesOf(group.type).sizes) {
    const [desired, max] = [sizeOf(group, "desired"), sizeOf(group, "max")];
    return { desiredSize: (desired.isAbsent === true ? sizeOf(group, "min") : desired).value, maxSize: max.value };
  }
  const count = instancesOf(group);
  const isWeighted = overridesOf(group).some((one) => one.text("weightedCapacity").isAbsent !== true);
  const size = isWeighted ? undefined : count.value;
  return count.isAbsent === true ? undefined : { desiredSize: size, maxSize: size };
}

/** In a mix of markets, the on-demand price is the upper bound. */
function capacityTypeOf(group: Resource, template: Reader | undefined, stack: Stack): CapacityType {
  const market = template?.text("instanceMarketOptions.marketType").value;
  if (isMarket(group, stack, "spot") === true || market === "spot") return "SPOT";
  const isBlock = group.text("capacityType").value === "CAPACITY_BLOCK" || market === "capacity-block";
  return isBlock ? "CAPACITY_BLOCK" : "ON_DEMAND";
}

function volumesOf(group: Resource, template: Reader | undefined): readonly Volume[] {
  const { kind } = machinesOf(group.type);
  if (pulumiGroups.includes(group.type)) return [extraVolume(group, nodeRootKeys, defaultDiskGiB)];
  if (kind !== "managed") return template ? templateVolumes(template, undefined) : [rootVolume(undefined)];
  return managedVolumes({
    diskSize: group.integer("diskSize").or(defaultDiskGiB).value,
    amiType: group.text("amiType").or("AL2023_x86_64_STANDARD").value,
    template,
  });
}

/** The charge for the nodes that a schedule starts: a plan does not contain how long they run. */
export function scheduledLines(schedule: RecordedResource, context: PricingContext): UsageLine[] {
  const inputs = inputsOf(schedule);
  const sizes = ["minSize", "desiredCapacity"].map((path) => inputs.integer(path).or(0).value);
  const nodes = sizes.includes(undefined) ? undefined : Math.max(...sizes.map((size) => size ?? 0));
  if (nodes !== undefined && nodes <= 0) return [];
  const [group] = groupsOfSchedule(schedule, context);
  const pool = group && nodePool(group, context);
  const note = costNotes.schedule(schedule.name, nodes);
  const [line] = pool ? instanceLines(pool, nodes) : [];
  if (!line) return [unknownUsage(`nodes of schedule ${schedule.name}`, "instance-hour", note)];
  const { item, unit, usdPerUnit, status, priceDate, source } = line;
  return [
    { item: `${item}, by schedule`, unit, usdPerUnit, status, note, ...(priceDate && source && { priceDate, source }) },
  ];
}

/** The group whose output the schedule uses, or that has its name. */
function groupsOfSchedule(schedule: RecordedResource, { index }: PricingContext): RecordedResource[] {
  const types = [...poolTypes];
  const name = inputsOf(schedule).text("autoscalingGroupName").value;
  const named = index
    .ofType(...types)
    .filter((group) => name !== undefined && inputsOf(group).text("name").value === name);
  return [...index.sourcesOf(schedule, "autoscalingGroupName", ...types), ...named];
}

const nodeRootKeys = { size: "nodeRootVolumeSize", type: "nodeRootVolumeType" };

/** A launch template that the program does not create: everything in it is unknown. */
const externalTemplate = new Reader(unknownSentinel);

/** The launch template of a group; `undefined` when it uses none. */
function templateOf(group: Resource, stack: Stack): Reader | undefined {
  const [template] = templatesOf(stack, group);
  if (template) return template;
  return hasExternalTemplate(stack, group) === false ? undefined : externalTemplate;
}

/** A launch template decides for its instances; otherwise the subnets do. */
function hasPublicAddress(group: Resource, template: Reader | undefined, stack: Stack): boolean {
  if (pulumiGroups.includes(group.type)) return group.boolean("nodeAssociatePublicIpAddress").value === true;
  const [networkInterface] = template?.list("networkInterfaces").value ?? [];
  const address = networkInterface?.boolean("associatePublicIpAddress");
  if (address && address.isAbsent !== true) return address.value === true;
  const { places = ["subnetIds"] } = machinesOf(group.type);
  return places
    .flatMap((place) => stack.behind(group, place, "aws:ec2/subnet:Subnet"))
    .some((subnet) => subnet.boolean("mapPublicIpOnLaunch").value === true);
}
