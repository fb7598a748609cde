import type { CapacityType, Volume } from "../../components/cost/cost-lines";
import type { RecordedResource } from "../record/record";
import type { Properties } from "../../components/core/wire";
import { defaultDiskGiB, extraVolume, rootVolume, templateVolumes } from "./disks";
import type { NodePool } from "./node-pool";
import { countOr, isUnknown, list, object, text, textOr, type Reading } from "./reading";

type PoolReader = (resource: RecordedResource, reading: Reading) => NodePool[];

/** By resource type: everything that makes nodes. */
const poolReaders: Readonly<Record<string, PoolReader>> = {
  "aws:eks/nodeGroup:NodeGroup": (group, reading) => [managedPool(group, reading)],
  "aws:autoscaling/group:Group": (group, reading) => [autoScalingPool(group, reading)],
  "eks:index:ManagedNodeGroup": (group, reading) => [managedPool(group, reading)],
  "eks:index:NodeGroup": (group, reading) => [selfManagedPool(group, group.inputs, reading)],
  "eks:index:NodeGroupV2": (group, reading) => [selfManagedPool(group, group.inputs, reading)],
  "eks:index:Cluster": (cluster, reading) => {
    const { inputs } = cluster;
    const skipped = [inputs["skipDefaultNodeGroup"], inputs["fargate"], object(inputs["autoMode"])["enabled"]];
    const settings = { ...inputs, ...object(inputs["nodeGroupOptions"]) };
    return skipped.some(Boolean) ? [] : [selfManagedPool(cluster, settings, reading)];
  },
};

/** The nodes that a resource makes; none for a resource that makes no nodes. */
export function nodePools(resource: RecordedResource, reading: Reading): NodePool[] {
  return makesNodes(resource.type) ? (poolReaders[resource.type]?.(resource, reading) ?? []) : [];
}

/** Whether resources of this type make nodes. */
export function makesNodes(type: string): boolean {
  return Object.hasOwn(poolReaders, type);
}

/**
 * A managed node group, made directly or by the component of @pulumi/eks, whose defaults are those given here.
 * @see https://www.pulumi.com/registry/packages/eks/api-docs/managednodegroup/
 */
function managedPool(group: RecordedResource, reading: Reading): NodePool {
  const { inputs } = group;
  const template = templateOf(group, ["launchTemplate"], reading);
  const scaling = isUnknown(inputs["scalingConfig"]) ? undefined : object(inputs["scalingConfig"]);
  return {
    name: group.name,
    region: reading.regionOf(group),
    instanceTypes: typesOf(inputs["instanceTypes"]) ?? typeOf(template, "t3.medium"),
    capacityType: capacityTypeOf(inputs["capacityType"], template),
    desiredSize: scaling && countOr(scaling["desiredSize"], 2),
    maxSize: scaling && countOr(scaling["maxSize"], 2),
    volumes: managedVolumes(inputs, template),
    publicAddress: hasPublicAddress(group, "subnetIds", template, reading),
  };
}

function managedVolumes(inputs: Properties, template: Template): readonly Volume[] {
  if (template === "none") return [rootVolume(countOr(inputs["diskSize"], defaultDiskGiB))];
  if (template === "elsewhere") return [rootVolume(undefined)];
  const amiType = textOr(inputs["amiType"], "AL2023_x86_64_STANDARD");
  return templateVolumes(template, amiType?.startsWith("AL2") ? "/dev/xvda" : undefined);
}

function autoScalingPool(group: RecordedResource, reading: Reading): NodePool {
  const { inputs } = group;
  const template = templateOf(group, ["launchTemplate", "mixedInstancesPolicy", "launchConfiguration"], reading);
  const overrides = list(object(object(inputs["mixedInstancesPolicy"])["launchTemplate"])["overrides"]);
  return {
    name: group.name,
    region: reading.regionOf(group),
    instanceTypes:
      typesOf(overrides?.map((override) => object(override)["instanceType"])) ?? typeOf(template, undefined),
    capacityType: capacityTypeOf(undefined, template),
    desiredSize: countOr(inputs["desiredCapacity"], countOr(inputs["minSize"], 0)),
    maxSize: countOr(inputs["maxSize"], undefined),
    volumes: typeof template === "string" ? [rootVolume(undefined)] : templateVolumes(template, undefined),
    publicAddress: hasPublicAddress(group, "vpcZoneIdentifiers", template, reading),
  };
}

/**
 * Nodes of the self-managed groups of @pulumi/eks, which are also a cluster's default ones.
 * @see https://www.pulumi.com/registry/packages/eks/api-docs/nodegroupv2/
 */
function selfManagedPool(group: RecordedResource, settings: Properties, reading: Reading): NodePool {
  const { instanceType, spotPrice, nodeRootVolumeSize, nodeRootVolumeType, nodeAssociatePublicIpAddress } = settings;
  const types = isUnknown(instanceType) ? [] : [text(instanceType) ?? "t3.medium"];
  return {
    name: group.name,
    region: reading.regionOf(group),
    instanceTypes: types,
    capacityType: spotPrice === undefined ? "ON_DEMAND" : "SPOT",
    desiredSize: countOr(settings["desiredCapacity"], 2),
    maxSize: countOr(settings["maxSize"], 2),
    volumes: [extraVolume({ size: nodeRootVolumeSize ?? defaultDiskGiB, type: nodeRootVolumeType }, "size")],
    publicAddress: nodeAssociatePublicIpAddress === true,
  };
}

/** A launch template's inputs; `elsewhere` when a group uses one that the program does not make. */
type Template = Properties | "none" | "elsewhere";

function templateOf(group: RecordedResource, inputs: readonly string[], reading: Reading): Template {
  const used = inputs.filter((input) => group.inputs[input] !== undefined);
  const [template] = used.flatMap((input) => reading.referred(group, input, "aws:ec2/launchTemplate:LaunchTemplate"));
  return template?.inputs ?? (used.length > 0 ? "elsewhere" : "none");
}

/** `undefined` when no types are stated, an empty list when they are known only after the update. */
function typesOf(value: unknown): string[] | undefined {
  if (isUnknown(value)) return [];
  const types = list(value)?.map(text);
  if (types === undefined || types.length === 0) return undefined;
  return types.every((type) => type !== undefined) ? types : [];
}

function typeOf(template: Template, fallback: string | undefined): string[] {
  if (template === "elsewhere") return [];
  const type = textOr(template === "none" ? undefined : template["instanceType"], fallback);
  return type === undefined ? [] : [type];
}

function capacityTypeOf(stated: unknown, template: Template): CapacityType {
  const market = typeof template === "string" ? undefined : object(template["instanceMarketOptions"])["marketType"];
  if (stated === "SPOT" || market === "spot") return "SPOT";
  return stated === "CAPACITY_BLOCK" || market === "capacity-block" ? "CAPACITY_BLOCK" : "ON_DEMAND";
}

/** A launch template decides it for its instances; otherwise the subnets do. */
function hasPublicAddress(group: RecordedResource, subnets: string, template: Template, reading: Reading): boolean {
  const [stated] = (typeof template === "string" ? undefined : list(template["networkInterfaces"])) ?? [];
  const address = object(stated)["associatePublicIpAddress"];
  if (address !== undefined) return address === true || address === "true";
  return reading
    .referred(group, subnets, "aws:ec2/subnet:Subnet")
    .some((subnet) => subnet.inputs["mapPublicIpOnLaunch"] === true);
}
