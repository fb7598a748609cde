import { Reading } from "../engine/values";
import { instanceType } from "../../components/nodes/machine/instance-types";
import type { Resource } from "../engine/resource";
import { eksCluster } from "./clusters";

export const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
export const managedNodeGroup = "eks:index:ManagedNodeGroup";
/** Self-managed nodes of @pulumi/eks, in an Auto Scaling group that a CloudFormation stack creates. */
export const nodeGroupV1 = "eks:index:NodeGroup";
/** Self-managed nodes of @pulumi/eks, in an Auto Scaling group. */
export const nodeGroupV2 = "eks:index:NodeGroupV2";
export const scalingGroup = "aws:autoscaling/group:Group";
export const cloudFormationStack = "aws:cloudformation/stack:Stack";
export const gpuNodeGroup = "eks-gpu-lab:index:GpuNodeGroup";
const systemNodeGroup = "eks-gpu-lab:index:SystemNodeGroup";
const instance = "aws:ec2/instance:Instance";
const spotInstance = "aws:ec2/spotInstanceRequest:SpotInstanceRequest";
const capacityReservation = "aws:ec2/capacityReservation:CapacityReservation";
const fleet = "aws:ec2/fleet:Fleet";
const spotFleet = "aws:ec2/spotFleetRequest:SpotFleetRequest";
export const fleets: readonly string[] = [fleet, spotFleet];
/** The pools of Karpenter. */
export const nodePools: readonly string[] = ["v1", "v1beta1"].map(
  (version) => `kubernetes:karpenter.sh/${version}:NodePool`,
);

/**
 * - `component`: of this library, with a node group in it.
 * - `managed`, `self-managed`: a group of nodes between a minimum and a maximum.
 * - `request`: starts a number of instances with the next update.
 * - `reservation`: costs as much as its instances, which may run or not.
 * - `host`: a machine for instances, which costs money with or without them.
 * - `block`: paid in full when it is created.
 * - `pool`: Karpenter starts a number of nodes with the next update.
 */
export type SourceKind =
  "component" | "managed" | "self-managed" | "request" | "reservation" | "host" | "block" | "pool";

/** How a type of resource starts or reserves instances, and the properties that describe them. */
interface Source {
  readonly kind: SourceKind;
  /** The keys of the block with all other properties, of a custom resource. @default the resource itself */
  readonly within?: readonly string[];
  /** A list of instance types, or one family. */
  readonly types?: string;
  /** One instance type. */
  readonly type?: string;
  /** Karpenter's requirements of a node. */
  readonly requirements?: string;
  /** @default "taints" */
  readonly taints?: string;
  /** The effects of a taint: one that is soft, and those that repel pods. @default EKS's */
  readonly effects?: readonly [soft: string, ...hard: string[]];
  /** @default "labels" */
  readonly labels?: string;
  /** The subnets or zones: the first property that has a value, else the first. @default ["subnetIds"] */
  readonly places?: readonly string[];
  /** Whether the type is for GPUs only. */
  readonly isGpu?: true;
  /** The market of all instances. @default another property, or the launch template, tells it */
  readonly market?: Market;
  /** The property with the market. @default "capacityType" for a component or a managed group */
  readonly capacity?: string;
  /** Whether the number of vCPUs is not known, or is that of another resource. */
  readonly isUncounted?: true;
  /** Of a group. */
  readonly sizes?: Sizes;
  /** The property with the number of instances, or of weighted units, of all others. @default one instance */
  readonly count?: string;
  /** The block of AWS Batch with numbers of vCPUs instead of instances. */
  readonly vcpus?: string;
}

export type Market = "on-demand" | "spot";

/** The properties with the sizes of a group, and their limits and defaults. */
interface Sizes {
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
const templateSizes: Sizes = { min: "MinSize", desired: "DesiredCapacity", max: "MaxSize", smallestMax: 0 };

/** @see https://www.pulumi.com/registry/packages/eks/api-docs/managednodegroup/ */
const pulumiEksDefaults = { min: 1, desired: 2, max: 2 };

const ofOneType = { type: "instanceType" };
const ofTypes = { types: "instanceTypes" };
const ofPool: Source = {
  kind: "pool",
  requirements: "spec.template.spec.requirements",
  taints: "spec.template.spec.taints",
  effects: ["PreferNoSchedule", "NoSchedule", "NoExecute"],
  labels: "spec.template.metadata.labels",
  places: ["spec.template.spec.requirements"],
  count: "spec.replicas",
};
const pulumiGroup: Source = {
  ...{ kind: "self-managed", ...ofOneType, places: ["nodeSubnetIds"] },
  sizes: { ...autoScalingSizes, defaults: pulumiEksDefaults },
};

const ofAws: Source = { kind: "managed", ...ofTypes, sizes: eksSizes };

const ofUpbound: Source = { ...ofAws, within: ["spec", "forProvider"], taints: "taint" };
const ofClusterApi: Source = {
  ...{ kind: "managed", ...ofOneType, within: ["spec"], places: ["subnetIDs", "availabilityZones"] },
  effects: ["prefer-no-schedule", "no-schedule", "no-execute"],
  sizes: { min: "scaling.minSize", desired: "scaling.desiredSize", max: "scaling.maxSize", smallestMax: 1 },
};
const ofScaling: Source = { kind: "self-managed", sizes: autoScalingSizes };
const ofReservation: Source = { kind: "reservation", ...ofOneType, market: "on-demand", count: "instanceCount" };

/**
 * All types that start or reserve instances. The maximum of an EKS node group is 1 or more; an Auto Scaling group may have 0.
 * The components of @pulumi/eks are here for the offline plan, which does not know their children. The engine passes them
 * without inputs, but with their children.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupScalingConfig.html
 * @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html
 * @see https://karpenter.sh/docs/concepts/nodepools/ for pools with a fixed number of nodes
 * @see https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeResource.html
 */
const sources: Readonly<Record<string, Source>> = {
  [gpuNodeGroup]: {
    ...{ kind: "component", ...ofOneType, isGpu: true },
    sizes: { ...componentSizes, defaults: { min: 0, desired: 0, max: 2 } },
  },
  [systemNodeGroup]: {
    ...{ kind: "component", isUncounted: true },
    sizes: { ...componentSizes, defaults: { min: 1, desired: 2, max: 4 } },
  },
  [nodeGroup]: ofAws,
  [managedNodeGroup]: { ...ofAws, sizes: { ...eksSizes, defaults: pulumiEksDefaults } },
  "aws-native:eks:Nodegroup": { ...ofAws, places: ["subnets"] },
  "kubernetes:eks.services.k8s.aws/v1alpha1:Nodegroup": { ...ofAws, within: ["spec"], places: ["subnets"] },
  "kubernetes:eks.aws.upbound.io/v1beta1:NodeGroup": ofUpbound,
  "kubernetes:eks.aws.upbound.io/v1beta2:NodeGroup": ofUpbound,
  "kubernetes:eks.aws.m.upbound.io/v1beta1:NodeGroup": ofUpbound,
  "kubernetes:infrastructure.cluster.x-k8s.io/v1beta1:AWSManagedMachinePool": ofClusterApi,
  "kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSManagedMachinePool": ofClusterApi,
  [nodeGroupV1]: pulumiGroup,
  [nodeGroupV2]: pulumiGroup,
  [eksCluster]: { ...pulumiGroup, places: ["nodeSubnetIds", "privateSubnetIds"] },
  [scalingGroup]: { ...ofScaling, places: ["vpcZoneIdentifiers", "availabilityZones"] },
  "aws-native:autoscaling:AutoScalingGroup": { ...ofScaling, places: ["vpcZoneIdentifier", "availabilityZones"] },
  [cloudFormationStack]: { kind: "self-managed", places: ["VPCZoneIdentifier"], sizes: templateSizes },
  [instance]: { kind: "request", ...ofOneType },
  "aws-native:ec2:Instance": { kind: "request", ...ofOneType },
  [spotInstance]: { kind: "request", ...ofOneType, market: "spot" },
  [fleet]: {
    ...{ kind: "request", isUncounted: true, capacity: "targetCapacitySpecification.defaultTargetCapacityType" },
    count: "targetCapacitySpecification.totalTargetCapacity",
  },
  [spotFleet]: { kind: "request", isUncounted: true, market: "spot", count: "targetCapacity" },
  [capacityReservation]: ofReservation,
  "aws-native:ec2:CapacityReservation": ofReservation,
  "aws:ec2/dedicatedHost:DedicatedHost": { kind: "host", ...ofOneType, types: "instanceFamily", isUncounted: true },
  "aws:batch/computeEnvironment:ComputeEnvironment": {
    ...{ kind: "request", types: "computeResources.instanceTypes", capacity: "computeResources.type" },
    vcpus: "computeResources",
  },
  "aws:sagemaker/endpointConfiguration:EndpointConfiguration": {
    ...{ kind: "request", type: "productionVariants.instanceType", isUncounted: true },
    count: "productionVariants.initialInstanceCount",
  },
  "aws:sagemaker/notebookInstance:NotebookInstance": { kind: "request", ...ofOneType, isUncounted: true },
  "aws:ec2/capacityBlockReservation:CapacityBlockReservation": { kind: "block", isUncounted: true, isGpu: true },
  ...Object.fromEntries(nodePools.map((type) => [type, ofPool])),
};

/** The types of which the properties meet a condition. */
function typesWhere(condition: (source: Source) => boolean): readonly string[] {
  return Object.keys(sources).filter((type) => condition(sources[type] as Source));
}

/** The types of some kinds. */
export function typesOf(...kinds: readonly SourceKind[]): readonly string[] {
  return typesWhere(({ kind }) => kinds.includes(kind));
}

/** The properties that describe the instances of a type. */
export function machinesOf(type: string): Partial<Source> {
  return sources[type] ?? {};
}

/** The types that have sizes. */
export const sizedTypes = typesWhere(({ sizes }) => sizes !== undefined);

/** The types whose vCPUs rules can count. */
export const countedTypes = typesWhere(({ isUncounted }) => !isUncounted);

/** The self-managed groups of @pulumi/eks. A cluster has a default group, which has the arguments of a NodeGroupV2. */
export const pulumiGroups: readonly string[] = [nodeGroupV1, nodeGroupV2, eksCluster];

/** Managed node groups of @pulumi/aws and of @pulumi/eks. */
export const pulumiManagedGroups: readonly string[] = [nodeGroup, managedNodeGroup];

/** All managed node groups. See nodeGroupIn of node-groups. */
export const managedGroups = typesOf("managed");

/** See nodeGroupIn of node-groups. */
export const selfManagedGroups = typesOf("self-managed");

/** All groups of nodes. */
export const nodeGroupTypes = typesOf("managed", "self-managed");

/** All groups of nodes, and the pools of Karpenter. */
export const nodeTypes = typesOf("managed", "self-managed", "pool");

/** A size of a group, or the default of its type. */
export function sizeOf(group: Resource, size: "min" | "desired" | "max"): Reading<number> {
  const sizes = machinesOf(group.type).sizes;
  const given = group.integer(sizes?.[size]);
  const fallback = sizes?.defaults?.[size];
  return fallback === undefined ? given : given.or(fallback, `nothing, which means ${fallback}`);
}

/**
 * The number of instances that a resource without sizes starts or reserves. A unit of a fleet counts as one, and so does a
 * block. vCPUs count as instances of the largest type.
 */
export function instancesOf(resource: Resource): Reading<number> {
  const { kind, count, vcpus, type = "", types = "" } = machinesOf(resource.type);
  if (vcpus !== undefined) {
    const running = resource.integer(`${vcpus}.desiredVcpus`);
    const given = running.isAbsent === true ? resource.integer(`${vcpus}.minVcpus`).or(0) : running;
    const perNode = resource.strings(types).map((name) => instanceType(name)?.vcpus ?? 0);
    return given.map(
      (number) => Math.ceil(number / Math.max(1, ...perNode)),
      () => `${given.shown} vCPUs`,
    );
  }
  if (kind === "block") return Reading.known("capacityBlockOfferingId", 1, "an offering");
  return count === undefined ? Reading.known(type, 1, "1 instance") : resource.integer(count);
}
