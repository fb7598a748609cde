import type { Reader } from "../../components/core/reader/reader";
import { Reading } from "../../components/core/reader/reading";
import { isRecord } from "../../components/core/reader/records";
import { any, openPaths, some, unknownSentinels, type Truth } from "../../components/core/reader/truth";
import { hasNvidiaGpu } from "../../components/nodes/machine/instance-types";
import type { Resource, Stack } from "../engine/resource";
import { yamlDocuments } from "../engine/yaml";
import { eksCluster } from "./clusters";
import { someOf } from "./lists";
import { hasExternalTemplate, templatesOf, stringsOf } from "./launch-templates";

export const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
export const managedNodeGroup = "eks:index:ManagedNodeGroup";
/** Self-managed nodes of @pulumi/eks, in an Auto Scaling group that a CloudFormation stack creates. */
export const nodeGroupV1 = "eks:index:NodeGroup";
/** Self-managed nodes of @pulumi/eks, in an Auto Scaling group. */
export const nodeGroupV2 = "eks:index:NodeGroupV2";
export const scalingGroup = "aws:autoscaling/group:Group";
export const cloudFormationStack = "aws:cloudformation/stack:Stack";

/** The self-managed groups of @pulumi/eks. A cluster has a default group, which has the arguments of a NodeGroupV2. */
export const pulumiGroups: readonly string[] = [nodeGroupV1, nodeGroupV2, eksCluster];

/** The types with self-managed nodes. See {@link nodeGroupIn}. */
export const selfManagedGroups: readonly string[] = [...pulumiGroups, scalingGroup, cloudFormationStack];

/** Properties of a cluster of @pulumi/eks that disable its default node group. */
const withoutDefaultGroup = ["skipDefaultNodeGroup", "fargate", "autoMode.enabled"];

/**
 * The node group in a resource. That of a cluster of @pulumi/eks is its default group, that of a CloudFormation stack
 * the one that a NodeGroup of @pulumi/eks creates. Undefined if there is none. The engine passes a cluster of
 * @pulumi/eks without inputs, but with the Auto Scaling group of its default group.
 * @see https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/cluster/cluster.ts
 * @see https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/nodes/nodegroup.ts
 */
export function nodeGroupIn(resource: Resource): Resource | undefined {
  if (resource.type === eksCluster) return defaultGroup(resource);
  if (resource.type === cloudFormationStack) return groupOfTemplate(resource);
  return resource;
}

function defaultGroup(cluster: Resource): Resource | undefined {
  if (cluster.isEmpty) return undefined;
  const isOff = any(...withoutDefaultGroup.map((path) => isOn(cluster.at(path))));
  if (isOff === true) return undefined;
  const [open] = openPaths(isOff);
  if (open !== undefined) return cluster.view(unknownSentinels.object, open);
  const options = cluster.at("nodeGroupOptions").entries().isAbsent === true;
  return options ? cluster : cluster.view(cluster.inputs("nodeGroupOptions"), "nodeGroupOptions");
}

/** True, or an object with settings. */
function isOn(reader: Reader): Truth {
  const flag = reader.boolean();
  const isObject = reader.entries().is(() => true);
  return any(
    flag.is((on) => on),
    isObject,
  );
}

/** The group has no URN of its own. The values of CloudFormation's functions, such as `!Ref x`, are read as strings. */
function groupOfTemplate(resource: Resource): Resource | undefined {
  if (!resource.isInside(nodeGroupV1)) return undefined;
  const body = resource.text("templateBody");
  if (body.isUnknown) return resource.view(resource.inputs("templateBody"), body.path);
  const template = yamlDocuments((body.value ?? "").replace(/(?<=[:-] +)!\w+/g, ""))?.[0];
  const resources = isRecord(template) ? template["Resources"] : undefined;
  const groups = isRecord(resources) ? Object.values(resources).filter(isRecord) : [];
  const group = groups.find((one) => one["Type"] === "AWS::AutoScaling::AutoScalingGroup");
  return group && resource.view(group["Properties"], body.path);
}

/** The node groups in the resources of some types. */
export function nodeGroupsIn(stack: Stack, types: readonly string[]): Resource[] {
  return stack.ofType(...types).flatMap((resource) => nodeGroupIn(resource) ?? []);
}
export const gpuNodeGroup = "eks-gpu-lab:index:GpuNodeGroup";
export const systemNodeGroup = "eks-gpu-lab:index:SystemNodeGroup";

/** The properties of a type that describe its instances. */
interface MachineProperties {
  /** A list of instance types. */
  readonly types?: string;
  /** One instance type. */
  readonly type?: string;
  readonly ami?: string;
  /** True if the nodes get an AMI with the NVIDIA driver. */
  readonly gpu?: string;
}

const eksMachines: MachineProperties = { types: "instanceTypes", ami: "amiType" };

const machines: Readonly<Record<string, MachineProperties>> = {
  [nodeGroup]: eksMachines,
  [managedNodeGroup]: { ...eksMachines, gpu: "gpu" },
  ...forEach(pulumiGroups, { type: "instanceType", ami: "amiType", gpu: "gpu" }),
  [gpuNodeGroup]: { type: "instanceType" },
  "aws:ec2/instance:Instance": { type: "instanceType" },
  "aws:ec2/spotInstanceRequest:SpotInstanceRequest": { type: "instanceType" },
};

function forEach<T>(types: readonly string[], value: T): Readonly<Record<string, T>> {
  return Object.fromEntries(types.map((type) => [type, value]));
}

/** The path of an unknown instance type. */
const externalType = "the instance type in a launch template outside the stack";

/**
 * The instance types that a group may start, in the order of preference. If the group has none, they are in its launch
 * template, which needs the stack. For a launch template outside the stack the type is unknown.
 */
export function machineTypes(group: Resource, stack?: Stack): Reading<string>[] {
  const { types, type } = machines[group.type] ?? {};
  const own = [
    ...(types === undefined ? [] : stringsOf(group, types)),
    ...(type === undefined ? [] : [group.text(type)]),
    ...(group.type === scalingGroup ? overriddenTypes(group.at("mixedInstancesPolicy.launchTemplate")) : []),
    ...fleetTypes(group),
  ].filter(({ isAbsent }) => isAbsent !== true);
  if (own.length > 0 || !stack) return own;
  if (hasExternalTemplate(stack, group) !== false) return [Reading.unknown(externalType)];
  const ofTemplates = templatesOf(stack, group).map((template) => template.text("instanceType"));
  return ofTemplates.filter(({ isAbsent }) => isAbsent !== true);
}

/** The groups of some types. A component replaces the group that it creates, if its type is one of them. */
export function groupsOf(stack: Stack, types: readonly string[]): Resource[] {
  return nodeGroupsIn(stack, types).filter((group) => !types.includes(componentOf(group, stack)?.type ?? ""));
}

/** The component that created a group, if its arguments are known. */
export function componentOf(group: Resource, stack: Stack): Resource | undefined {
  return stack
    .ofType(gpuNodeGroup, managedNodeGroup, ...pulumiGroups)
    .find((component) => group.isInside(component.type) && isNameOf(component, group) && !component.isEmpty);
}

/** Both have the same name, except the CloudFormation stack of a NodeGroup of @pulumi/eks. */
function isNameOf(component: Resource, group: Resource): boolean {
  return group.name === (group.type === cloudFormationStack ? `${component.name}-nodes` : component.name);
}

/** The instance types of a mixed instances policy, or of a fleet, override those of the launch template. */
function overriddenTypes(holder: Reader): Reading<string>[] {
  return typesInList(holder, "overrides");
}

function typesInList(holder: Reader, key: string): Reading<string>[] {
  const list = holder.list(key);
  if (list.value) return list.value.slice(0, 300).map((item) => item.text("instanceType"));
  return list.isAbsent === true ? [] : [holder.text(key)];
}

/** The instance types in the overrides and specifications of a fleet; none for another resource. */
function fleetTypes(fleet: Resource): Reading<string>[] {
  const configs = fleet.list("launchTemplateConfigs");
  const overrides = (configs.value ?? []).slice(0, 50).flatMap((config) => overriddenTypes(config));
  const open = configs.isUnknown ? [fleet.text("launchTemplateConfigs")] : [];
  return [...overrides, ...open, ...typesInList(fleet, "launchSpecifications")];
}

/**
 * Whether a group accepts any instance type with certain attributes, and NVIDIA GPUs are among them.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceRequirements.html
 */
function requiresNvidia(group: Resource, stack: Stack | undefined): Truth {
  const holders = [
    ...(stack ? templatesOf(stack, group) : []),
    ...[group.at("mixedInstancesPolicy.launchTemplate"), ...(group.list("launchTemplateConfigs").value ?? [])].flatMap(
      (holder) => holder.list("overrides").value?.slice(0, 50) ?? [],
    ),
  ];
  return some(holders, (holder) =>
    someOf(holder.list("instanceRequirements.acceleratorManufacturers"), (one) =>
      one.text().is((maker) => maker === "nvidia"),
    ),
  );
}

/**
 * Whether a node group has NVIDIA GPUs: by its instance types or their attributes, or by its AMI. A `GpuNodeGroup` always has. The content
 * of a launch template needs the stack.
 */
export function isGpuGroup(group: Resource, stack?: Stack): Truth {
  if (group.type === gpuNodeGroup) return true;
  const { ami = "amiType", gpu = "gpu" } = machines[group.type] ?? {};
  return any(
    some(machineTypes(group, stack), (type) => type.is(hasNvidiaGpu)),
    requiresNvidia(group, stack),
    isNvidiaAmi(group.text(ami)),
    group.boolean(gpu).is((wanted) => wanted),
  );
}

/** Managed node groups of @pulumi/aws and of @pulumi/eks. */
export const managedGroups: readonly string[] = [nodeGroup, managedNodeGroup];

/** A node group, and whether it has GPUs. */
export interface MaybeGpuGroup {
  readonly group: Resource;
  readonly isGpu: Truth;
}

/** The groups of these types that have GPUs, or may have. */
export function maybeGpuGroups(stack: Stack, types: readonly string[]): MaybeGpuGroup[] {
  const groups = nodeGroupsIn(stack, types).map((group) => ({ group, isGpu: isGpuGroup(group, stack) }));
  return groups.filter(({ isGpu }) => isGpu !== false);
}

/** Whether an EKS AMI type contains the NVIDIA driver, e.g. `AL2023_x86_64_NVIDIA`. */
export function isNvidiaAmi(amiType: Reading<string>): Truth {
  return amiType.is((type) => /NVIDIA|_GPU$/.test(type));
}

/** The properties with the sizes of a group, and their limits and defaults. */
export interface Sizes {
  readonly min: string;
  readonly desired: string;
  readonly max: string;
  /** The smallest maximum that AWS accepts. */
  readonly smallestMax: 0 | 1;
  /** The sizes of a group without values. */
  readonly defaults?: { readonly min: number; readonly desired: number; readonly max: number };
}

const componentSizes: Sizes = { min: "minSize", desired: "desiredSize", max: "maxSize", smallestMax: 1 };
const eksSizes: Sizes = {
  min: "scalingConfig.minSize",
  desired: "scalingConfig.desiredSize",
  max: "scalingConfig.maxSize",
  smallestMax: 1,
};
const autoScalingSizes: Sizes = { min: "minSize", desired: "desiredCapacity", max: "maxSize", smallestMax: 0 };

/** @see https://www.pulumi.com/registry/packages/eks/api-docs/managednodegroup/ */
const pulumiEksDefaults = { min: 1, desired: 2, max: 2 };

/**
 * The maximum of an EKS node group is 1 or more; an Auto Scaling group may have 0. The components of @pulumi/eks are
 * here for the offline plan, which does not know their children. The engine passes them without inputs, but with their
 * children.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupScalingConfig.html
 * @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html
 */
export const sizesOf: Readonly<Record<string, Sizes>> = {
  [gpuNodeGroup]: { ...componentSizes, defaults: { min: 0, desired: 0, max: 2 } },
  [systemNodeGroup]: componentSizes,
  [nodeGroup]: eksSizes,
  [managedNodeGroup]: { ...eksSizes, defaults: pulumiEksDefaults },
  [scalingGroup]: autoScalingSizes,
  [cloudFormationStack]: { min: "MinSize", desired: "DesiredCapacity", max: "MaxSize", smallestMax: 0 },
  ...forEach(pulumiGroups, { ...autoScalingSizes, defaults: pulumiEksDefaults }),
};
