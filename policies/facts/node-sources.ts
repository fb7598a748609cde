import { custom } from "../engine/objects";
import { eksCluster } from "./clusters";
import type { Sizes, Source, SourceKind } from "./node-source";

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
/** The warm pool of an Auto Scaling group, in a resource of its own. */
export const warmPool = "aws-native:autoscaling:WarmPool";
/** Scales an Auto Scaling group at a time. A size of -1 changes nothing. */
export const schedule = "aws:autoscaling/schedule:Schedule";

/** The paths of the sizes of a group. */
function sizesAt(min: string, desired: string, max: string, smallestMax: 0 | 1 = 0): Sizes {
  return { min, desired, max, smallestMax };
}
const componentSizes = sizesAt("minSize", "desiredSize", "maxSize", 1);
const eksSizes = sizesAt("scalingConfig.minSize", "scalingConfig.desiredSize", "scalingConfig.maxSize", 1);
const autoScalingSizes = sizesAt("minSize", "desiredCapacity", "maxSize");

/** @see https://www.pulumi.com/registry/packages/eks/api-docs/managednodegroup/ */
const pulumiEksDefaults = { min: 1, desired: 2, max: 2 };

const ofOneType = { type: "instanceType" };

/** A pool or a node of Karpenter, with the template of its nodes in a block. */
const ofKarpenter = (kind: "pool" | "request", template: string, labels: string, limits?: string): Source => ({
  ...{ kind, requirements: `${template}.requirements`, taints: `${template}.taints`, labels },
  effects: ["PreferNoSchedule", "NoSchedule", "NoExecute"],
  places: [`${template}.requirements`],
  ...(limits !== undefined && { limits, count: ["spec.replicas"] }),
});
const pulumiGroup: Source = {
  ...{ kind: "self-managed", ...ofOneType, places: ["nodeSubnetIds"] },
  sizes: { ...autoScalingSizes, defaults: pulumiEksDefaults },
};
const ofEks: Source = { kind: "managed", types: "instanceTypes", sizes: eksSizes, warmPool: "warmPoolConfig" };
const ofMachinePool: Source = {
  ...{ kind: "managed", ...ofOneType, within: ["spec"], places: ["subnetIDs", "availabilityZones"] },
  effects: ["prefer-no-schedule", "no-schedule", "no-execute"],
  hasNoStrategy: true,
  sizes: sizesAt("scaling.minSize", "scaling.desiredSize", "scaling.maxSize", 1),
};
const ofScaling: Source = { kind: "self-managed", sizes: autoScalingSizes };
const ofSchedule: Source = { kind: "schedule", isUncounted: true, sizes: { ...autoScalingSizes, unchanged: -1 } };
const ofInstance: Source = { kind: "request", ...ofOneType, places: ["subnetId"] };
const ofReservation: Source = { kind: "reservation", ...ofOneType, market: "on-demand", count: ["instanceCount"] };
const ofHost: Source = { kind: "host", ...ofOneType, types: "instanceFamily", isUncounted: true, isPricedApart: true };
const ofFleet: Source = {
  ...{ kind: "request", capacity: "targetCapacitySpecification.defaultTargetCapacityType" },
  count: ["targetCapacitySpecification.totalTargetCapacity"],
};
const ofSpotFleet: Source = { kind: "request", market: "spot", count: ["targetCapacity"] };
const ofBatch = (vcpus: string): Source => ({
  ...{ kind: "request", types: "computeResources.instanceTypes", capacity: "computeResources.type", isInVcpus: true },
  sizes: sizesAt(`computeResources.min${vcpus}`, `computeResources.desired${vcpus}`, `computeResources.max${vcpus}`),
});
/** Instances that another service of AWS starts, at its own prices. */
const ofService: Source = { kind: "request", ...ofOneType, isPricedApart: true };
const emrCounts = ["instanceCount", "targetOnDemandCapacity", "targetSpotCapacity"];
const ofEmr: Source = { ...ofService, count: emrCounts, countDefault: 1 };
/** Such services have quotas of their own. */
const ofOwnQuota: Source = { ...ofService, isUncounted: true };
const variants = ["productionVariants", "shadowProductionVariants"];
const ofBuilds: Source = {
  ...{ ...ofOwnQuota, type: "environmentType", types: "computeConfiguration.instanceType", count: ["baseCapacity"] },
};
const ofTasks: Source = { kind: "tasks", within: ["managedInstancesProvider", "instanceLaunchTemplate"] };
/** The nodes of a Workspace of KAITO. */
const ofKaito: Source = { kind: "request", ...ofOneType, count: ["count"], countDefault: 1 };
const ofEndpoint: Source = { ...ofOwnQuota, parts: variants, count: ["initialInstanceCount"] };

/** The rows of types with the same properties. */
const rowsOf = (source: Source, ...types: readonly string[]) =>
  Object.fromEntries(types.map((type) => [type, source] as const));
/** The rows with the properties in a spec. */
const inSpec = (source: Source, ...names: readonly string[]) => custom({ ...source, within: ["spec"] }, ...names);
const inProvider = { within: ["spec", "forProvider"] };
/** Upbound's providers for Crossplane have the properties of Terraform's. */
const inUpbound = (source: Source, service: string, versions: string, ...kinds: readonly string[]) =>
  custom(
    { ...source, ...inProvider },
    ...kinds.flatMap((kind) => [
      `${service}.aws.upbound.io/${versions}:${kind}`,
      `${service}.aws.m.upbound.io/v1beta1:${kind}`,
    ]),
  );
const ofSize: Source = { kind: "sized", sizes: autoScalingSizes };
const capa = "infrastructure.cluster.x-k8s.io/v1beta1,v1beta2";
const kops: Source = { ...ofSize, type: "machineType", types: "mixedInstancesPolicy.instances" };

const customResources = [
  ...custom(
    ofKarpenter("pool", "spec.template.spec", "spec.template.metadata.labels", "spec.limits"),
    "karpenter.sh/v1,v1beta1:NodePool",
  ),
  ...custom(ofKarpenter("pool", "spec", "spec.labels", "spec.limits.resources"), "karpenter.sh/v1alpha5:Provisioner"),
  ...custom(ofKarpenter("request", "spec", "metadata.labels"), "karpenter.sh/v1,v1beta1:NodeClaim"),
  ...custom(ofMachinePool, `${capa}:AWSManagedMachinePool`),
  ...inSpec({ ...ofSize, type: "awsLaunchTemplate.instanceType" }, `${capa}:AWSMachinePool`),
  ...inSpec(ofInstance, `${capa}:AWSMachine`),
  // Machines of Cluster API. Another object describes them: see launch-templates.ts.
  ...inSpec(
    { kind: "request", count: ["replicas"], countDefault: 1 },
    ...["MachineDeployment", "MachineSet"].map((kind) => `cluster.x-k8s.io/v1beta1,v1beta2:${kind}`),
  ),
  ...custom({ ...ofKaito, within: ["resource"] }, "kaito.sh/v1alpha1,v1beta1:Workspace"),
  ...custom({ ...ofKaito, within: ["spec", "compute"] }, "kaito.sh/v1alpha1,v1beta1:RAGEngine"),
  ...inSpec(
    { ...ofKaito, type: "template.resource.instanceType", count: ["replicas"] },
    "kaito.sh/v1alpha1,v1beta1:InferenceSet",
  ),
  ...inSpec(kops, "kops.k8s.io/v1alpha2,v1alpha3:InstanceGroup"),
  ...inSpec({ ...ofEks, places: ["subnets"] }, "eks.services.k8s.aws/v1alpha1:Nodegroup"),
  ...inSpec({ ...ofInstance, count: ["maxCount"], countDefault: 1 }, "ec2.services.k8s.aws/v1alpha1:Instance"),
  ...inSpec(ofReservation, "ec2.services.k8s.aws/v1alpha1:CapacityReservation"),
  ...custom({ ...ofEks, ...inProvider, places: ["subnets"] }, "eks.aws.crossplane.io/v1alpha1:NodeGroup"),
  ...custom({ ...ofSize, ...inProvider }, "autoscaling.aws.crossplane.io/v1beta1:AutoScalingGroup"),
  ...inUpbound({ ...ofEks, taints: "taint" }, "eks", "v1beta1,v1beta2", "NodeGroup"),
  ...inUpbound(ofInstance, "ec2", "v1beta1,v1beta2", "Instance"),
  ...inUpbound({ ...ofInstance, market: "spot" }, "ec2", "v1beta1,v1beta2", "SpotInstanceRequest"),
  ...inUpbound(ofSpotFleet, "ec2", "v1beta1,v1beta2", "SpotFleetRequest"),
  ...inUpbound(ofFleet, "ec2", "v1beta1,v1beta2", "Fleet"),
  ...inUpbound(ofReservation, "ec2", "v1beta1", "CapacityReservation"),
  ...inUpbound(ofSize, "autoscaling", "v1beta1,v1beta2,v1beta3", "AutoscalingGroup"),
];

/**
 * All types that start or reserve instances. The maximum of an EKS node group is 1 or more; an Auto Scaling group may have 0.
 * The components of @pulumi/eks are here for the offline plan, which does not know their children. The engine passes them
 * without inputs, but with their children.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupScalingConfig.html
 * @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html
 * @see https://karpenter.sh/docs/concepts/nodepools/ for pools with a fixed number of nodes
 * @see https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeResource.html
 * @see https://docs.aws.amazon.com/codebuild/latest/APIReference/API_Fleet.html
 * @see https://docs.aws.amazon.com/AmazonECS/latest/developerguide/managed-instances-capacity-providers-concept.html
 * @see https://github.com/kaito-project/kaito/blob/0228438b/api/v1beta1/workspace_types.go
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
  [nodeGroup]: ofEks,
  [managedNodeGroup]: { ...ofEks, sizes: { ...eksSizes, defaults: pulumiEksDefaults } },
  "aws-native:eks:Nodegroup": { ...ofEks, places: ["subnets"] },
  ...rowsOf(pulumiGroup, nodeGroupV1, nodeGroupV2),
  [eksCluster]: { ...pulumiGroup, places: ["nodeSubnetIds", "privateSubnetIds"] },
  [scalingGroup]: { ...ofScaling, places: ["vpcZoneIdentifiers", "availabilityZones"] },
  "aws-native:autoscaling:AutoScalingGroup": { ...ofScaling, places: ["vpcZoneIdentifier", "availabilityZones"] },
  [cloudFormationStack]: {
    ...{ kind: "self-managed", places: ["VPCZoneIdentifier"], sizes: sizesAt("MinSize", "DesiredCapacity", "MaxSize") },
  },
  ...rowsOf(ofSchedule, schedule, "aws-native:autoscaling:ScheduledAction"),
  ...rowsOf(ofInstance, "aws:ec2/instance:Instance", "aws-native:ec2:Instance"),
  "aws:ec2/spotInstanceRequest:SpotInstanceRequest": { ...ofInstance, market: "spot" },
  ...rowsOf(ofFleet, "aws:ec2/fleet:Fleet", "aws-native:ec2:Ec2Fleet"),
  "aws:ec2/spotFleetRequest:SpotFleetRequest": ofSpotFleet,
  "aws-native:ec2:SpotFleet": { ...ofSpotFleet, within: ["spotFleetRequestConfigData"] },
  ...rowsOf(ofReservation, "aws:ec2/capacityReservation:CapacityReservation", "aws-native:ec2:CapacityReservation"),
  ...rowsOf(ofHost, "aws:ec2/dedicatedHost:DedicatedHost", "aws-native:ec2:Host"),
  "aws:batch/computeEnvironment:ComputeEnvironment": ofBatch("Vcpus"),
  "aws-native:batch:ComputeEnvironment": ofBatch("vCpus"),
  "aws:emr/cluster:Cluster": {
    ...{ ...ofEmr, parts: ["masterInstanceGroup", "coreInstanceGroup", "masterInstanceFleet", "coreInstanceFleet"] },
  },
  ...rowsOf(ofEmr, "aws:emr/instanceGroup:InstanceGroup", "aws:emr/instanceFleet:InstanceFleet"),
  "aws:sagemaker/endpointConfiguration:EndpointConfiguration": ofEndpoint,
  "aws-native:sagemaker:EndpointConfig": ofEndpoint,
  ...rowsOf(ofOwnQuota, "aws:sagemaker/notebookInstance:NotebookInstance", "aws-native:sagemaker:NotebookInstance"),
  "aws-native:sagemaker:Cluster": { ...ofOwnQuota, parts: ["instanceGroups"], count: ["instanceCount"] },
  "aws:gamelift/fleet:Fleet": { ...ofOwnQuota, type: "ec2InstanceType" },
  "aws-native:gamelift:Fleet": {
    ...{ ...ofOwnQuota, type: "ec2InstanceType", count: ["desiredEc2Instances"], countDefault: 1 },
  },
  "aws:appstream/fleet:Fleet": { ...ofOwnQuota, count: ["computeCapacity.desiredInstances"] },
  "aws:cloud9/environmentEC2:EnvironmentEC2": ofInstance,
  "aws:workspaces/workspace:Workspace": { ...ofOwnQuota, within: ["workspaceProperties"], type: "computeTypeName" },
  ...rowsOf(ofBuilds, "aws:codebuild/fleet:Fleet", "aws-native:codebuild:Fleet"),
  ...rowsOf(ofTasks, "aws:ecs/capacityProvider:CapacityProvider", "aws-native:ecs:CapacityProvider"),
  "aws:ec2/capacityBlockReservation:CapacityBlockReservation": { kind: "block", isUncounted: true, isGpu: true },
  ...Object.fromEntries(customResources),
};

/** The types of which the properties meet a condition. */
export function typesWhere(condition: (source: Source) => boolean): readonly string[] {
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

/** The types whose vCPUs rules can count. */
export const countedTypes = typesWhere(({ isUncounted }) => !isUncounted);

/** The self-managed groups of @pulumi/eks. A cluster has a default group, which has the arguments of a NodeGroupV2. */
export const pulumiGroups: readonly string[] = [nodeGroupV1, nodeGroupV2, eksCluster];

/** Managed node groups of @pulumi/aws and of @pulumi/eks. */
export const pulumiManagedGroups: readonly string[] = [nodeGroup, managedNodeGroup];

/** All managed node groups. See groupsWithin of node-groups. */
export const managedGroups = typesOf("managed");

/** See groupsWithin of node-groups. */
export const selfManagedGroups = typesOf("self-managed");

/** All groups of nodes. */
export const nodeGroupTypes = typesOf("managed", "self-managed");

/** The pools of Karpenter. */
export const nodePools = typesOf("pool");

/** All groups of nodes, and the pools of Karpenter. */
export const nodeTypes = typesOf("managed", "self-managed", "pool");
