import { Reading } from "../../components/core/reader/reading";
import { any, some, type Truth } from "../../components/core/reader/truth";
import { instanceType } from "../../components/nodes/machine/instance-types";
import type { Resource, Stack } from "../engine/resource";
import { hasTemplateElsewhere, templatesOf, textsOf } from "./launch-templates";

export const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
export const managedNodeGroup = "eks:index:ManagedNodeGroup";
/** Self-managed nodes of @pulumi/eks, on an Auto Scaling group. */
export const nodeGroupV2 = "eks:index:NodeGroupV2";
export const scalingGroup = "aws:autoscaling/group:Group";
export const gpuNodeGroup = "eks-gpu-lab:index:GpuNodeGroup";
export const systemNodeGroup = "eks-gpu-lab:index:SystemNodeGroup";

/** EC2 families with NVIDIA GPUs: g and gr with a number, and p with a number. */
const gpuFamily = /^(g\d|gr\d|p\d)/;

/** Whether an instance type of this name has NVIDIA GPUs; a name that the table lacks is judged by its family. */
export function isGpuType(name: string): boolean {
  const known = instanceType(name);
  if (known) return known.gpus > 0;
  // AMD's GPUs share the letter.
  return gpuFamily.test(name) && !/^g4ad/.test(name);
}

/** Where a type says which machines it starts. */
interface Machines {
  /** A list of instance types. */
  readonly types?: string;
  /** One instance type. */
  readonly type?: string;
  readonly ami?: string;
  /** True where the nodes are to get an AMI with NVIDIA's driver. */
  readonly gpu?: string;
}

const eksMachines: Machines = { types: "instanceTypes", ami: "amiType" };

const machines: Readonly<Record<string, Machines>> = {
  [nodeGroup]: eksMachines,
  [managedNodeGroup]: { ...eksMachines, gpu: "gpu" },
  [nodeGroupV2]: { type: "instanceType", ami: "amiType", gpu: "gpu" },
  [gpuNodeGroup]: { type: "instanceType" },
  "aws:ec2/instance:Instance": { type: "instanceType" },
};

/** What nobody sees of a launch template that the stack does not make. */
const typeElsewhere = "the instance type in a launch template from elsewhere";

/**
 * The instance types that a group may start, in the order of preference. Where the group names none they stand in its
 * launch template, which is seen only with the stack; of one from elsewhere the type is unknown.
 */
export function machineTypes(group: Resource, stack?: Stack): Reading<string>[] {
  const { types, type } = machines[group.type] ?? {};
  const own = [
    ...(types === undefined ? [] : textsOf(group, types)),
    ...(type === undefined ? [] : [group.text(type)]),
    ...(group.type === scalingGroup ? overriddenTypes(group) : []),
  ].filter(({ isAbsent }) => isAbsent !== true);
  if (own.length > 0 || !stack) return own;
  if (hasTemplateElsewhere(stack, group) !== false) return [Reading.unknown(typeElsewhere)];
  const ofTemplates = templatesOf(stack, group).map((template) => template.text("instanceType"));
  return ofTemplates.filter(({ isAbsent }) => isAbsent !== true);
}

/** The groups of some types. A component stands for the group that it makes, if its type is one of them. */
export function groupsOf(stack: Stack, types: readonly string[]): Resource[] {
  return stack.ofType(...types).filter((group) => !types.includes(makerOf(group, stack)?.type ?? ""));
}

/** The component that made a group, where it shows its arguments. Both have the same name. */
export function makerOf(group: Resource, stack: Stack): Resource | undefined {
  return stack
    .ofType(gpuNodeGroup, managedNodeGroup, nodeGroupV2)
    .find((maker) => group.isInside(maker.type) && maker.name === group.name && !maker.isEmpty);
}

/** An Auto Scaling group of mixed instances lays types over its launch template. */
function overriddenTypes(group: Resource): Reading<string>[] {
  const overrides = group.list("mixedInstancesPolicy.launchTemplate.overrides");
  if (overrides.value) return overrides.value.slice(0, 300).map((override) => override.text("instanceType"));
  return overrides.isAbsent === true ? [] : [group.text(overrides.path)];
}

/**
 * Whether a group of nodes has NVIDIA GPUs: by its instance types, or by an AMI made for them. A `GpuNodeGroup` has.
 * What a launch template alone says is seen only with the stack.
 */
export function isGpuGroup(group: Resource, stack?: Stack): Truth {
  if (group.type === gpuNodeGroup) return true;
  const { ami = "amiType", gpu = "gpu" } = machines[group.type] ?? {};
  return any(
    some(machineTypes(group, stack), (type) => type.is(isGpuType)),
    isNvidiaAmi(group.text(ami)),
    group.boolean(gpu).is((wanted) => wanted),
  );
}

/** Groups that EKS manages, raw and as @pulumi/eks makes them. */
export const managedGroups: readonly string[] = [nodeGroup, managedNodeGroup];

/** A group of nodes, and whether they have GPUs. */
export interface MaybeGpuGroup {
  readonly group: Resource;
  readonly isGpu: Truth;
}

/** The groups of these types that have GPUs, or may: asked once, however many resources are compared with them. */
export function maybeGpuGroups(stack: Stack, types: readonly string[]): MaybeGpuGroup[] {
  const groups = stack.ofType(...types).map((group) => ({ group, isGpu: isGpuGroup(group, stack) }));
  return groups.filter(({ isGpu }) => isGpu !== false);
}

/** Whether an EKS AMI type is one with NVIDIA's driver, e.g. `AL2023_x86_64_NVIDIA`. */
export function isNvidiaAmi(amiType: Reading<string>): Truth {
  return amiType.is((type) => /NVIDIA|_GPU$/.test(type));
}

/** Where a type of group keeps its sizes, and what AWS and the makers of the type say about them. */
export interface Sizes {
  readonly min: string;
  readonly desired: string;
  readonly max: string;
  /** The smallest maximum that AWS takes. */
  readonly smallestMax: 0 | 1;
  /** What is made of sizes that nobody states. */
  readonly unstated?: { readonly min: number; readonly desired: number; readonly max: number };
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
 * listed for the offline plan, which never sees what they make; the engine shows them without inputs, but their groups.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupScalingConfig.html
 * @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html
 */
export const sizesOf: Readonly<Record<string, Sizes>> = {
  [gpuNodeGroup]: { ...componentSizes, unstated: { min: 0, desired: 0, max: 2 } },
  [systemNodeGroup]: componentSizes,
  [nodeGroup]: eksSizes,
  [managedNodeGroup]: { ...eksSizes, unstated: pulumiEksDefaults },
  [scalingGroup]: autoScalingSizes,
  [nodeGroupV2]: { ...autoScalingSizes, unstated: pulumiEksDefaults },
};
