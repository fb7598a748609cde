import { Reader } from "../../components/core/reader/reader";
import { ownValue } from "../../components/core/reader/records";
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
import { Resource } from "../../policies/engine/resource";
import { machineTypes, nodeGroupIn } from "../../policies/facts/node-groups";
import { cloudFormationStack, nodeGroupTypes, pulumiGroups, sizeOf } from "../../policies/facts/node-sources";
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

type PoolReader = (resource: RecordedResource, context: PricingContext) => NodePool | undefined;

/** By resource type: everything that creates nodes. */
const poolReaders: Readonly<Record<string, PoolReader>> = {
  // What CloudFormation creates is the group of an eks.NodeGroup, which is counted.
  ...Object.fromEntries(nodeGroupTypes.filter((type) => type !== cloudFormationStack).map((type) => [type, otherPool])),
  "aws:eks/nodeGroup:NodeGroup": managedPool,
  "aws:autoscaling/group:Group": autoScalingPool,
  "eks:index:ManagedNodeGroup": managedPool,
  "aws:ec2/fleet:Fleet": fleetPool,
  "aws:ec2/spotFleetRequest:SpotFleetRequest": spotFleetPool,
  "kubernetes:karpenter.sh/v1:NodePool": karpenterPool,
};

/** The nodes that a resource creates; undefined for a resource that creates none. */
export function nodePool(resource: RecordedResource, context: PricingContext): NodePool | undefined {
  return ownValue(poolReaders, resource.type)?.(resource, context);
}

/** Whether resources of this type create nodes. */
export function createsNodes(type: string): boolean {
  return Object.hasOwn(poolReaders, type);
}

/**
 * A group as the rules read it: a self-managed one of @pulumi/eks, which is also the default of a cluster, or a group of another
 * package or of a controller in a cluster.
 * @see https://www.pulumi.com/registry/packages/eks/api-docs/nodegroupv2/
 */
function otherPool(resource: RecordedResource, context: PricingContext): NodePool | undefined {
  const group = nodeGroupIn(new Resource(asAnalyzed(resource)));
  if (!group) return undefined;
  const isPulumis = pulumiGroups.includes(resource.type);
  const types = machineTypes(group).map(({ value }) => value);
  const desired = sizeOf(group, "desired");
  const market = group.text("spotPrice").isAbsent === true ? group.text("capacityType").value : "spot";
  return {
    name: resource.name,
    region: group.text("region").value ?? context.regionOf(resource),
    instanceTypes: knownTypes(types.length === 0 && isPulumis ? ["t3.medium"] : types) ?? [],
    capacityType: capacityTypeOf(market?.toUpperCase(), undefined),
    desiredSize: (desired.isAbsent === true ? sizeOf(group, "min") : desired).value,
    maxSize: sizeOf(group, "max").value,
    volumes: [
      isPulumis
        ? extraVolume(group, nodeRootKeys, defaultDiskGiB)
        : rootVolume(group.integer("diskSize").or(defaultDiskGiB).value),
    ],
    publicAddress: group.boolean("nodeAssociatePublicIpAddress").value === true,
  };
}

/**
 * A managed node group, created directly or by the component of @pulumi/eks, whose defaults apply here.
 * @see https://www.pulumi.com/registry/packages/eks/api-docs/managednodegroup/
 */
function managedPool(group: RecordedResource, context: PricingContext): NodePool {
  const inputs = inputsOf(group);
  const template = templateOf(group, ["launchTemplate"], context);
  return {
    name: group.name,
    region: context.regionOf(group),
    instanceTypes: typesOf(inputs) ?? typeOf(template, "t3.medium"),
    capacityType: capacityTypeOf(inputs.text("capacityType").value, template),
    desiredSize: inputs.integer("scalingConfig.desiredSize").or(2).value,
    maxSize: inputs.integer("scalingConfig.maxSize").or(2).value,
    volumes: managedVolumes({
      diskSize: inputs.integer("diskSize").or(defaultDiskGiB).value,
      amiType: inputs.text("amiType").or("AL2023_x86_64_STANDARD").value,
      template,
    }),
    publicAddress: hasPublicAddress(group, "subnetIds", template, context),
  };
}

function autoScalingPool(group: RecordedResource, context: PricingContext): NodePool {
  const inputs = inputsOf(group);
  const template = templateOf(group, ["launchTemplate", "mixedInstancesPolicy", "launchConfiguration"], context);
  const overrides = inputs.list("mixedInstancesPolicy.launchTemplate.overrides").value;
  const types = overrides?.map((override) => override.text("instanceType").value);
  const minSize = inputs.integer("minSize").or(0);
  const desired = inputs.integer("desiredCapacity");
  return {
    name: group.name,
    region: context.regionOf(group),
    instanceTypes: knownTypes(types) ?? typeOf(template),
    capacityType: capacityTypeOf(undefined, template),
    desiredSize: (desired.isAbsent === true ? minSize : desired).value,
    maxSize: inputs.integer("maxSize").value,
    volumes: template ? templateVolumes(template, undefined) : [rootVolume(undefined)],
    publicAddress: hasPublicAddress(group, "vpcZoneIdentifiers", template, context),
  };
}

/**
 * A pool with a fixed number of nodes. Others start nodes for pods, and have none at rest.
 * @see https://karpenter.sh/docs/concepts/nodepools/
 */
function karpenterPool(pool: RecordedResource, context: PricingContext): NodePool | undefined {
  const inputs = inputsOf(pool);
  const replicas = inputs.integer("spec.replicas");
  if (replicas.isAbsent === true) return undefined;
  const required = (label: string) =>
    (inputs.list("spec.template.spec.requirements").value ?? [])
      .filter((one) => one.text("key").value === label && one.text("operator").value === "In")
      .flatMap((one) => one.list("values").value ?? [])
      .map((value) => value.text().value);
  return {
    name: pool.name,
    region: context.regionOf(pool),
    instanceTypes: knownTypes(required("node.kubernetes.io/instance-type")) ?? [],
    capacityType: required("karpenter.sh/capacity-type").includes("spot") ? "SPOT" : "ON_DEMAND",
    desiredSize: replicas.value,
    maxSize: replicas.value,
    volumes: [rootVolume(undefined)],
    publicAddress: false,
  };
}

/** Most fleets have a default market. The on-demand price is the upper bound of the other one. */
function fleetPool(fleet: RecordedResource, context: PricingContext): NodePool {
  const target = inputsOf(fleet).at("targetCapacitySpecification");
  const isSpot = target.text("defaultTargetCapacityType").value === "spot";
  return poolOfFleet(fleet, target.integer("totalTargetCapacity").value, isSpot ? "SPOT" : "ON_DEMAND", context);
}

function spotFleetPool(fleet: RecordedResource, context: PricingContext): NodePool {
  return poolOfFleet(fleet, inputsOf(fleet).integer("targetCapacity").value, "SPOT", context);
}

/** The number of instances is not known if instance types have weights. */
function poolOfFleet(
  fleet: RecordedResource,
  capacity: number | undefined,
  capacityType: CapacityType,
  context: PricingContext,
): NodePool {
  const inputs = inputsOf(fleet);
  const template = templateOf(fleet, ["launchTemplateConfigs"], context);
  const configs = inputs.list("launchTemplateConfigs").value ?? [];
  const choices = [
    ...configs.flatMap((config) => config.list("overrides").value ?? []),
    ...(inputs.list("launchSpecifications").value ?? []),
  ];
  const isWeighted = choices.some((choice) => choice.text("weightedCapacity").isAbsent !== true);
  const size = isWeighted ? undefined : capacity;
  const types = choices.map((choice) => choice.text("instanceType"));
  const stated = types.filter(({ isAbsent }) => isAbsent !== true).map(({ value }) => value);
  return {
    name: fleet.name,
    region: context.regionOf(fleet),
    instanceTypes: knownTypes(stated) ?? typeOf(template),
    capacityType,
    desiredSize: size,
    maxSize: size,
    volumes: template ? templateVolumes(template, undefined) : [rootVolume(undefined)],
    publicAddress: false,
  };
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
  const types = Object.keys(poolReaders);
  const name = inputsOf(schedule).text("autoscalingGroupName").value;
  const named = index
    .ofType(...types)
    .filter((group) => name !== undefined && inputsOf(group).text("name").value === name);
  return [...index.sourcesOf(schedule, "autoscalingGroupName", ...types), ...named];
}

const nodeRootKeys = { size: "nodeRootVolumeSize", type: "nodeRootVolumeType" };

/** A launch template that the program does not create: everything in it is unknown. */
const externalTemplate = new Reader(unknownSentinel);

/** The launch template that one of these inputs refers to; `undefined` when a group uses none. */
function templateOf(group: RecordedResource, inputs: readonly string[], { index }: PricingContext): Reader | undefined {
  const used = inputs.filter((input) => group.inputs[input] !== undefined);
  const [template] = used.flatMap((input) => index.sourcesOf(group, input, "aws:ec2/launchTemplate:LaunchTemplate"));
  if (template) return inputsOf(template);
  return used.length > 0 ? externalTemplate : undefined;
}

/** `undefined` when no types are set, an empty list when they are known only after the update. */
function typesOf(inputs: Reader): readonly string[] | undefined {
  const types = inputs.list("instanceTypes");
  return types.isUnknown ? [] : knownTypes(types.value?.map((type) => type.text().value));
}

function knownTypes(types: readonly (string | undefined)[] = []): readonly string[] | undefined {
  if (types.length === 0) return undefined;
  return types.every((type) => type !== undefined) ? types : [];
}

function typeOf(settings: Reader | undefined, fallback?: string): string[] {
  const type = settings?.text("instanceType");
  if (type?.isUnknown) return [];
  const name = type?.value ?? fallback;
  return name === undefined ? [] : [name];
}

function capacityTypeOf(configured: string | undefined, template: Reader | undefined): CapacityType {
  const market = template?.text("instanceMarketOptions.marketType").value;
  if (configured === "SPOT" || market === "spot") return "SPOT";
  return configured === "CAPACITY_BLOCK" || market === "capacity-block" ? "CAPACITY_BLOCK" : "ON_DEMAND";
}

/** A launch template decides for its instances; otherwise the subnets do. */
function hasPublicAddress(
  group: RecordedResource,
  subnets: string,
  template: Reader | undefined,
  { index }: PricingContext,
): boolean {
  const [networkInterface] = template?.list("networkInterfaces").value ?? [];
  const address = networkInterface?.boolean("associatePublicIpAddress");
  if (address && address.isAbsent !== true) return address.value === true;
  return index
    .sourcesOf(group, subnets, "aws:ec2/subnet:Subnet")
    .some((subnet) => inputsOf(subnet).boolean("mapPublicIpOnLaunch").value === true);
}
