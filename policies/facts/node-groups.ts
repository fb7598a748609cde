import { describe } from "../../components/core/reader/describe";
import { isRecord } from "../../components/core/reader/records";
import { all, any, equals, openPaths, Reading, some, unknownSentinels } from "../engine/values";
import type { Reader, Truth } from "../engine/values";
import { hasNvidiaGpu } from "../../components/nodes/machine/instance-types";
import type { Resource, Stack } from "../engine/resource";
import { yamlDocuments } from "../engine/yaml";
import { eksCluster } from "./clusters";
import { requiredTypes, requiresGpu } from "./karpenter";
import { longest, someOf, textsIn } from "./lists";
import {
  cloudFormationStack,
  gpuNodeGroup,
  machinesOf,
  managedNodeGroup,
  nodeGroupV1,
  pulumiGroups,
} from "./node-sources";
import { hasExternalTemplate, templatesOf } from "./launch-templates";

/**
 * The groups of nodes or instances in a resource: usually one. That of a cluster of @pulumi/eks is its default group, that
 * of a CloudFormation stack the one that a NodeGroup of @pulumi/eks creates. The engine passes a cluster of @pulumi/eks
 * without inputs, but with the Auto Scaling group of its default group.
 * @see https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/cluster/cluster.ts
 * @see https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/nodes/nodegroup.ts
 */
export function groupsWithin(resource: Resource): Resource[] {
  const { within = [], parts } = machinesOf(resource.type);
  if (resource.type === eksCluster) return [defaultGroup(resource) ?? []].flat();
  if (resource.type === cloudFormationStack) return [groupOfTemplate(resource) ?? []].flat();
  if (parts) return parts.flatMap((part) => viewsOf(resource, part));
  return [within.length === 0 ? resource : resource.within(...within)];
}

/** The block at a key, or each block of the list there. */
function viewsOf(resource: Resource, key: string): Resource[] {
  const value = resource.inputs(key);
  if (Array.isArray(value)) return value.slice(0, longest).map((one, at) => resource.view(one, `${key}[${at}]`));
  return value === undefined || value === null ? [] : [resource.view(value, key)];
}

function defaultGroup(cluster: Resource): Resource | undefined {
  if (cluster.isEmpty) return undefined;
  const isOff = any(...["skipDefaultNodeGroup", "fargate", "autoMode.enabled"].map((path) => isOn(cluster.at(path))));
  if (isOff === true) return undefined;
  const [open] = openPaths(isOff);
  if (open !== undefined) return cluster.view(unknownSentinels.object, open);
  const isOfCluster = cluster.at("nodeGroupOptions").entries().isAbsent === true;
  return isOfCluster ? cluster : cluster.view(cluster.inputs("nodeGroupOptions"), "nodeGroupOptions");
}

/** True, or an object with settings. */
function isOn(reader: Reader): Truth {
  const isObject = reader.entries().is(() => true);
  return any(equals(reader.boolean(), true), isObject);
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
  return stack.ofType(...types).flatMap(groupsWithin);
}

/**
 * The instance types that a group may start, in the order of preference. If the group has none, they are in its launch
 * template, which needs the stack. For a launch template outside the stack the type is unknown.
 */
export function machineTypes(group: Resource, stack?: Stack): Reading<string>[] {
  const { types, type, requirements } = machinesOf(group.type);
  const overrides = overridesOf(group);
  const own = [
    ...(types === undefined ? [] : textsIn(group, types)),
    ...(type === undefined ? [] : [group.text(type)]),
    ...overrides.map((override) => override.text("instanceType")),
    ...(requirements === undefined ? [] : requiredTypes(group.list(requirements))),
  ].filter(({ isAbsent }) => isAbsent !== true);
  const hasAttributes = overrides.some((one) => one.entries("instanceRequirements").isAbsent === false);
  if (own.length > 0 || !stack || hasAttributes) return own.map((one) => one.map(nameOfEc2, describe));
  if (hasExternalTemplate(stack, group) !== false) {
    return [Reading.unknown("the instance type in a launch template outside the stack")];
  }
  const ofTemplates = templatesOf(stack, group).map((template) => template.text("instanceType"));
  return ofTemplates.filter(({ isAbsent }) => isAbsent !== true);
}

/**
 * The name of EC2 for a machine of another service, such as `ml.g5.xlarge` of SageMaker, `stream.graphics.g4dn.xlarge` of
 * AppStream, or GRAPHICS_G6_2XLARGE of WorkSpaces. CodeBuild names only that a machine has GPUs.
 */
function nameOfEc2(name: string): string {
  const [, family, size = "xlarge"] = /^GRAPHICS(?:PRO)?_([A-Z0-9]+)(?:_(\w+))?$/.exec(name) ?? [];
  if (family !== undefined) return `${family}.${size}`.toLowerCase();
  return name === "LINUX_GPU_CONTAINER" ? "g5.xlarge" : name.replace(/^(ml|stream\.graphics)\./, "");
}

/** The groups of some types. A component replaces the group that it creates, if its type is one of them. */
export function groupsOf(stack: Stack, types: readonly string[]): Resource[] {
  return nodeGroupsIn(stack, types).filter((group) => !types.includes(componentOf(group, stack)?.type ?? ""));
}

/**
 * The component that created a group, if its arguments are known. Both have the same name, except the CloudFormation stack
 * of a NodeGroup of @pulumi/eks.
 */
export function componentOf(group: Resource, stack: Stack): Resource | undefined {
  const suffix = group.type === cloudFormationStack ? "-nodes" : "";
  return stack
    .ofType(gpuNodeGroup, managedNodeGroup, ...pulumiGroups)
    .find((one) => group.name === one.name + suffix && group.isInside(one.type) && !one.isEmpty);
}

/**
 * The attributes of the instance types of a group. AWS chooses any type that has them.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceRequirements.html
 */
export function attributesOf(group: Resource, stack?: Stack): Reader[] {
  const holders = [group, ...(stack ? templatesOf(stack, group) : []), ...overridesOf(group)];
  return holders.map((holder) => holder.at("instanceRequirements"));
}

/** What an Auto Scaling group or a fleet sets in place of its launch template; an unknown list counts as one entry. */
export function overridesOf(group: Resource): Reader[] {
  const itemsOf = (holder: Reader, key: string) => {
    const list = holder.list(key);
    return list.isUnknown ? [holder.at(key)] : (list.value ?? []).slice(0, longest);
  };
  const holders = [group.at("mixedInstancesPolicy.launchTemplate"), ...itemsOf(group, "launchTemplateConfigs")];
  const specifications = ["launchSpecifications", "instanceTypeConfigs"].flatMap((key) => itemsOf(group, key));
  return [...holders.flatMap((holder) => itemsOf(holder, "overrides")), ...specifications];
}

/**
 * Whether NVIDIA GPUs are among the instance types with some attributes. Without a manufacturer, the names of the accelerators
 * decide, and then their types.
 */
export function acceptsNvidia(attributes: Reader): Truth {
  const has = (key: string, isMeant: (value: string) => boolean) =>
    someOf(attributes.list(key), (one) => one.text().is(isMeant));
  const isOfNvidia = has("acceleratorManufacturers", (maker) => maker === "nvidia");
  const hasName = has("acceleratorNames", (name) => !otherAccelerator.test(name));
  const hasGpu = has("acceleratorTypes", (type) => type === "gpu");
  const isGpu = any(hasName, all(attributes.list("acceleratorNames").isAbsent, hasGpu));
  const isByName = all(attributes.list("acceleratorManufacturers").isAbsent, isGpu);
  return any(isOfNvidia, has("allowedInstanceTypes", hasNvidiaGpu), isByName);
}

/** Names of accelerators that are not NVIDIA's. */
const otherAccelerator = /^(inferentia|radeon|u30|vu9p)/;

/**
 * Whether the nodes of a resource have NVIDIA GPUs: by their instance types or attributes, their AMI or their requirements. A
 * `GpuNodeGroup` always has. The content of a launch template needs the stack.
 */
export function isGpuGroup(group: Resource, stack?: Stack): Truth {
  const { requirements, isGpu } = machinesOf(group.type);
  if (isGpu) return true;
  if (requirements !== undefined) return requiresGpu(group.list(requirements));
  return any(
    some(machineTypes(group, stack), (type) => type.is(hasNvidiaGpu)),
    some(attributesOf(group, stack), acceptsNvidia),
    isNvidiaAmi(group.text("amiType")),
    equals(group.boolean("gpu"), true),
  );
}

/** The taints of a node group or of a NodePool. */
export function taintsOf(group: Resource): Reading<readonly Reader[]> {
  return group.list(machinesOf(group.type).taints ?? "taints");
}

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
