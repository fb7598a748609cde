import { Reader } from "../../components/core/reader/reader";
import type { Reading } from "../../components/core/reader/reading";
import { unknownSentinel } from "../../components/core/wire";
import { notes, unknownCost, unknownUsage, type CostLine, type UsageLine } from "../../components/cost/cost-line";
import {
  autoModeFees,
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
  ownVolumes,
  rootVolume,
  templateVolumes,
} from "../../components/cost/volumes";
import { Resource, type Stack } from "../../policies/engine/resource";
import {
  autoModeClass,
  autoModeDiskGiB,
  hasExternalTemplate,
  templatesOf,
} from "../../policies/facts/launch-templates";
import {
  groupsNamedBy,
  inInstances,
  instancesOf,
  mostOf,
  optionsOf,
  startingSize,
  warmPoolOf,
  type WarmPool,
} from "../../policies/facts/node-counts";
import { groupsWithin, isGpuGroup, overridesOf } from "../../policies/facts/node-groups";
import { cloudFormationStack, machinesOf, pulumiGroups, typesOf } from "../../policies/facts/node-sources";
import { isMarket } from "../../policies/facts/vcpu-demand";
import { inputsOf } from "../facts/resource-index";
import type { RecordedResource } from "../record/record";
import { asAnalyzed } from "../record/recorded-resource";
import type { PricingContext } from "./pricing-context";

/** Identical nodes: those of a node group, of an Auto Scaling group or of a request. */
export interface NodePool {
  readonly name: string;
  readonly region: string;
  /** More than one when EC2 may choose; none when they are known only after the update. */
  readonly instanceTypes: readonly string[];
  /** The one that the price is of: where EC2 may choose, the amount is an upper bound. */
  readonly pricedType: string | undefined;
  readonly isGpu: boolean;
  readonly capacityType: CapacityType;
  /** `undefined` when it is known only after the update. */
  readonly desiredSize: number | undefined;
  /** `undefined` when it is known only after the update. */
  readonly maxSize: number | undefined;
  /** Of each node. */
  readonly volumes: readonly Volume[];
  /** Whether each node gets a public IPv4 address. */
  readonly publicAddress: boolean;
  /** The resource, if its instances have prices that are not in the table. */
  readonly pricedApart: string | undefined;
  readonly note: string | undefined;
  /** Whether EKS Auto Mode charges for each instance in addition. */
  readonly isAutoMode: boolean;
  readonly warm: WarmPool | undefined;
}

/** The hourly cost of `size` nodes of a pool. */
export function poolLines(pool: NodePool, size: number | undefined): CostLine[] {
  if (size === 0) return [];
  const addresses = publicIpv4Addresses(pool.region, pool.publicAddress ? size : 0);
  const fees = pool.isAutoMode ? autoModeFees(pool.region, pool.pricedType ?? pool.name, size) : [];
  return [...instanceLines(pool, size), ...volumeLines(pool, size), ...addresses, ...fees];
}

/** The same, with the nodes of its warm pool. Those that do not run cost only their volumes. */
export function linesAt(pool: NodePool, size: number | undefined): CostLine[] {
  if (!pool.warm) return poolLines(pool, size);
  const [isRunning, least, most] = [pool.warm.isRunning, pool.warm.least.value, pool.warm.most.value];
  const isOpen = typeof isRunning !== "boolean" || [least, most, size].includes(undefined);
  const waiting = isOpen ? undefined : Math.max(least ?? 0, (most ?? 0) - (size ?? 0));
  return [...poolLines(pool, size), ...(isRunning !== false ? poolLines(pool, waiting) : volumeLines(pool, waiting))];
}

function volumeLines(pool: NodePool, size: number | undefined): CostLine[] {
  return pool.volumes.flatMap((volume) => volumes(pool.region, volume, size));
}

function instanceLines(pool: NodePool, size: number | undefined): CostLine[] {
  const { name, region, instanceTypes, pricedType, capacityType, pricedApart, note } = pool;
  if (pricedApart !== undefined) return [unknownCost(pricedApart, "instance-hour", size, costNotes.noPrice)];
  if (pricedType === undefined) {
    return [unknownCost(`instances of ${name}`, "instance-hour", size, costNotes.unknownInstanceType)];
  }
  const choice = instanceTypes.length > 1 ? notes(note, costNotes.instanceChoice(instanceTypes)) : note;
  return instances(region, pricedType, size, capacityType, choice);
}

/** What creates nodes. What CloudFormation creates is the group of an eks.NodeGroup, which is counted. */
const poolTypes = new Set(
  typesOf("managed", "self-managed", "sized", "request", "reservation", "host", "pool").filter(
    (type) => type !== cloudFormationStack,
  ),
);

/** Whether resources of this type create nodes. */
export function createsNodes(type: string): boolean {
  return poolTypes.has(type);
}

/**
 * The nodes that a resource creates, as the rules read it. A pool of Karpenter without a fixed number starts nodes for pods, up
 * to its limits, and has none at rest. Without limits it has no maximum, and is none of them.
 * @see https://www.pulumi.com/registry/packages/eks/api-docs/nodegroupv2/
 */
export function nodePools(resource: RecordedResource, context: PricingContext): NodePool[] {
  if (!createsNodes(resource.type)) return [];
  const groups = groupsWithin(new Resource(asAnalyzed(resource)));
  return groups.flatMap((group) => poolOf(group, resource, context) ?? []);
}

function poolOf(group: Resource, resource: RecordedResource, context: PricingContext): NodePool | undefined {
  const { stack } = context.index;
  const { kind, isPricedApart } = machinesOf(group.type);
  const size = sizesOf(group, stack);
  if (!size) return undefined;
  const template = templateOf(group, stack);
  const region = group.text("region").value ?? context.regionOf(resource);
  const choices = choicesOf(group, stack);
  const priced = mostExpensive(choices, region);
  const hasNodes = kind !== "reservation" && isPricedApart !== true;
  const autoMode = autoModeDisk(group, stack);
  return {
    name: resource.name,
    region,
    instanceTypes: choices.map(({ name }) => name),
    pricedType: priced?.name,
    isGpu: isGpuGroup(group, stack) === true,
    capacityType: capacityTypeOf(group, template, stack),
    ...size,
    ...(priced && { maxSize: priced.max }),
    volumes: autoMode ? [autoMode] : hasNodes ? volumesOf(group, template) : [],
    publicAddress: hasNodes && hasPublicAddress(group, template, stack),
    pricedApart: isPricedApart ? `${group.type} ${resource.name}` : otherInstances(resource.name, group, template),
    note: kind === "reservation" ? costNotes.reservation : undefined,
    isAutoMode: autoMode !== undefined,
    warm: warmPoolOf(group, stack),
  };
}

/** The disk of a node of EKS Auto Mode; undefined for other nodes. */
function autoModeDisk(group: Resource, stack: Stack): Volume | undefined {
  const reference = group.at("spec.template.spec.nodeClassRef");
  if (reference.text("group").value !== "eks.amazonaws.com") return undefined;
  const isNamed = (one: Resource) => one.text("metadata.name").value === reference.text("name").value;
  const [nodeClass] = stack.ofType(autoModeClass).filter(isNamed);
  const storage = nodeClass?.at("spec.ephemeralStorage") ?? new Reader({});
  return { ...extraVolume(storage, { size: "size", type: "" }, autoModeDiskGiB), volumeType: "gp3" };
}

/** The table has the prices of Linux on shared hosts. */
function otherInstances(name: string, group: Resource, template: Reader | undefined): string | undefined {
  const tenancies = [group.text("tenancy"), template?.text("placement.tenancy")].map((tenancy) => tenancy?.value);
  if (tenancies.some((tenancy) => tenancy === "dedicated" || tenancy === "host"))
    return `dedicated instances of ${name}`;
  return group.text("amiType").value?.startsWith("WINDOWS") ? `Windows instances of ${name}` : undefined;
}

/** Undefined for a pool of Karpenter without a number and limits. */
function sizesOf(group: Resource, stack: Stack): Pick<NodePool, "desiredSize" | "maxSize"> | undefined {
  const { kind, sizes } = machinesOf(group.type);
  const starting = sizes ? startingSize(group) : instancesOf(group);
  const hasMost = optionsOf(group, stack).some(({ most }) => most.isAbsent !== true);
  if (kind === "pool" && starting.isAbsent === true && !hasMost) return undefined;
  return {
    desiredSize: inNodes(group, kind === "pool" ? starting.or(0) : starting),
    maxSize: inNodes(group, mostOf(group)),
  };
}

/** Where EC2 or Karpenter may choose, all nodes of the most expensive type are the upper bound. */
function mostExpensive([first, ...others]: readonly Choice[], region: string): Choice | undefined {
  const usd = ({ name, max }: Choice) => (price(region, name)?.usd ?? Infinity) * (max || 1);
  return first && others.reduce((most, choice) => (usd(choice) > usd(most) ? choice : most), first);
}

/** An instance type, and the most nodes of it. */
interface Choice {
  readonly name: string;
  readonly max: number | undefined;
}

/** None when one of the types is known only after the update. A pool chooses from those that its limits allow. */
function choicesOf(group: Resource, stack: Stack): readonly Choice[] {
  const options = optionsOf(group, stack).map(({ type, most }) => ({ name: type.value, max: inNodes(group, most) }));
  const hasDefault = pulumiGroups.includes(group.type) || machinesOf(group.type).kind === "managed";
  if (options.length === 0 && hasDefault) return [{ name: "t3.medium", max: inNodes(group, mostOf(group)) }];
  if (options.some(({ name }) => name === undefined)) return [];
  const allowed = options.filter(({ max }) => max !== 0);
  return (allowed.length > 0 ? allowed : options).map(({ name = "", max }) => ({ name, max }));
}

/** The number of nodes is not known if instance types have weights. */
function inNodes(group: Resource, number: Reading<number>): number | undefined {
  const isWeighted = overridesOf(group).some((one) => one.text("weightedCapacity").isAbsent !== true);
  if (isWeighted) return undefined;
  return (machinesOf(group.type).isInVcpus ? inInstances(group, number) : number).value;
}

/** In a mix of markets, the on-demand price is the upper bound. */
function capacityTypeOf(group: Resource, template: Reader | undefined, stack: Stack): CapacityType {
  const market = template?.text("instanceMarketOptions.marketType").value;
  if (isMarket(group, stack, "spot") === true || market === "spot") return "SPOT";
  const isBlock = group.text("capacityType").value === "CAPACITY_BLOCK" || market === "capacity-block";
  return isBlock ? "CAPACITY_BLOCK" : "ON_DEMAND";
}

function volumesOf(group: Resource, template: Reader | undefined): readonly Volume[] {
  if (pulumiGroups.includes(group.type)) return [extraVolume(group, nodeRootKeys, defaultDiskGiB)];
  if (machinesOf(group.type).kind === "managed") {
    return managedVolumes({
      diskSize: group.integer("diskSize").or(defaultDiskGiB).value,
      amiType: group.text("amiType").or("AL2023_x86_64_STANDARD").value,
      template,
    });
  }
  const own = ownVolumes(group) ?? (template && ownVolumes(template));
  return own ?? (template ? templateVolumes(template, undefined) : [rootVolume(undefined)]);
}

/** The charge for the nodes that a schedule starts: a plan does not contain how long they run. */
export function scheduledLines(schedule: RecordedResource, context: PricingContext): UsageLine[] {
  const inputs = inputsOf(schedule);
  const sizes = ["minSize", "desiredCapacity"].map((path) => inputs.integer(path).or(0).value);
  const nodes = sizes.includes(undefined) ? undefined : Math.max(...sizes.map((size) => size ?? 0));
  if (nodes !== undefined && nodes <= 0) return [];
  const { index } = context;
  const [group] = groupsNamedBy(new Resource(asAnalyzed(schedule)), index.stack.ofType(...poolTypes));
  const recorded = group && index.byUrn(group.urn);
  const [pool] = recorded ? nodePools(recorded, context) : [];
  const note = costNotes.schedule(schedule.name, nodes);
  const [line] = pool ? instanceLines(pool, nodes) : [];
  if (!line) return [unknownUsage(`nodes of schedule ${schedule.name}`, "instance-hour", note)];
  const { item, unit, usdPerUnit, status, priceDate, source } = line;
  return [
    { item: `${item}, by schedule`, unit, usdPerUnit, status, note, ...(priceDate && source && { priceDate, source }) },
  ];
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

/** An argument or a launch template decides for its instances; otherwise the subnets do. */
function hasPublicAddress(group: Resource, template: Reader | undefined, stack: Stack): boolean {
  const [networkInterface] = template?.list("networkInterfaces").value ?? [];
  const stated = [group, template, networkInterface]
    .flatMap((holder) =>
      ["nodeAssociatePublicIpAddress", "associatePublicIpAddress"].map((key) => holder?.boolean(key)),
    )
    .find((address) => address?.isAbsent === false);
  if (stated || pulumiGroups.includes(group.type)) return stated?.value === true;
  const { places = ["subnetIds"] } = machinesOf(group.type);
  return places
    .flatMap((place) => stack.behind(group, place, "aws:ec2/subnet:Subnet"))
    .some((subnet) => subnet.boolean("mapPublicIpOnLaunch").value === true);
}
