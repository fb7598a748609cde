import { valuesAt } from "../../../../components/core/reader/paths";
import { isRecord } from "../../../../components/core/reader/records";
import { instanceType } from "../../../../components/nodes/machine/instance-types";
import { hexFor, zonesOf } from "../common";
import { autoscalingGroupName, recordActivity, putAutoscalingGroup } from "./autoscaling";
import {
  instanceTypesOf,
  scalingConfigOf,
  templateOf,
  hasFailed,
  rejectFailed,
  rejectSizes,
  type ScalingConfig,
} from "./node-group-rules";
import { groupInUse, subnetInUse } from "../../network/references";
import { types } from "../../types";
import { stringOf } from "../../values";
import { CloudError } from "../../../cloud/errors";
import { propertyOf, type CloudObject, type ResourceModel, type CloudState } from "../../../cloud/model";

/** The EC2 instance of a node. Its network interface prevents the deletion of its subnet and security groups. */
export const instance: ResourceModel = {
  type: types.instance,
  references: [
    { path: "subnetId", to: types.subnet, missing: notFound, onDelete: subnetInUse },
    { path: "vpcSecurityGroupIds[*]", to: types.securityGroup, missing: notFound, onDelete: groupInUse },
  ],
  id: (_, serial) => `i-${serial}`,
};

function notFound(id: string): CloudError {
  return new CloudError("InvalidParameterValue", `${id} does not exist`);
}

/**
 * Launches and terminates instances until the group has its desired size, or the account has no quota or no capacity
 * left. Instances with an outdated version, image or launch template are terminated first.
 */
export function reconcileInstances(cloud: CloudState, group: CloudObject): void {
  putAutoscalingGroup(cloud, group);
  const launchVersion = launchVersionOf(group);
  for (const instance of instancesOf(cloud, group)) {
    if (instance.computed["launchVersion"] !== launchVersion) terminateInstance(cloud, group, instance);
  }
  const { desiredSize } = scalingConfigOf(group.inputs);
  for (const instance of instancesOf(cloud, group).slice(desiredSize)) terminateInstance(cloud, group, instance);
  for (let index = instancesOf(cloud, group).length; index < desiredSize; index++) {
    const obstacle = launchObstacle(cloud, group);
    if (obstacle) {
      const description = "Launching a new EC2 instance.  Status Reason: " + obstacle.message;
      recordActivity(cloud, group, { status: "Failed", description, message: obstacle.message });
      break;
    }
    launchInstance(cloud, group, index, launchVersion);
  }
}

function terminateInstance(cloud: CloudState, group: CloudObject, { type, id }: CloudObject): void {
  cloud.remove(type, id);
  recordActivity(cloud, group, { status: "Successful", description: `Terminating EC2 instance: ${id}` });
}

/** Identifies the Kubernetes version, image and launch template. An instance with another value must be replaced. */
export function launchVersionOf({ inputs, computed }: CloudObject): string {
  const { version, releaseVersion } = { ...computed, ...inputs };
  const template = valuesAt(inputs, "launchTemplate.version").concat(valuesAt(inputs, "launchTemplate.id"));
  return [version, releaseVersion, ...template].map(stringOf).join(" ");
}

function launchInstance(cloud: CloudState, group: CloudObject, index: number, launchVersion: string): void {
  const template = templateOf(cloud, group.inputs);
  const subnetIds = valuesAt(group.inputs, "subnetIds[*]").map(stringOf);
  const nodeGroupName = stringOf(propertyOf(group, "nodeGroupName"));
  const clusterName = stringOf(group.inputs["clusterName"]);
  const id = unusedInstanceId(cloud, group.id);
  recordActivity(cloud, group, { status: "Successful", description: `Launching a new EC2 instance: ${id}` });
  cloud.put({
    type: types.instance,
    id,
    inputs: {
      instanceType: instanceTypesOf(group.inputs, template?.inputs)[0],
      subnetId: subnetIds[index % subnetIds.length],
      vpcSecurityGroupIds: securityGroupsOf(cloud, clusterName, template),
      tags: {
        ...specifiedTags(template, "instance"),
        [`kubernetes.io/cluster/${clusterName}`]: "owned",
        ...{ "eks:cluster-name": clusterName, "eks:nodegroup-name": nodeGroupName },
        // @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-tagging.html only AWS sets these
        ...{ "aws:eks:cluster-name": clusterName, "aws:autoscaling:groupName": autoscalingGroupName(group) },
      },
    },
    computed: { nodeGroupId: group.id, launchVersion, spot: group.inputs["capacityType"] === "SPOT" },
  });
}

/** The tags that a launch template gives what it starts. */
function specifiedTags(template: CloudObject | undefined, kind: string): Record<string, unknown> {
  const all = valuesAt(template?.inputs ?? {}, "tagSpecifications[*]").filter(isRecord);
  const own = all.find(({ resourceType }) => resourceType === kind)?.["tags"];
  return isRecord(own) ? own : {};
}

function unusedInstanceId(cloud: CloudState, groupId: string): string {
  for (let ordinal = 0; ; ordinal++) {
    const id = `i-${hexFor(cloud, `${groupId} ${ordinal}`, 17)}`;
    if (!cloud.get(types.instance, id)) return id;
  }
}

/** The security groups of the launch template, or the cluster security group. */
function securityGroupsOf(cloud: CloudState, clusterName: string, template: CloudObject | undefined): string[] {
  const paths = ["vpcSecurityGroupIds[*]", "networkInterfaces[*].securityGroups[*]"];
  const named = paths.flatMap((path) => valuesAt(template?.inputs ?? {}, path)).map(stringOf);
  if (named.length > 0) return [...new Set(named)];
  const cluster = cloud.get(types.cluster, clusterName);
  return valuesAt(cluster?.computed ?? {}, "vpcConfig.clusterSecurityGroupId").map(stringOf);
}

/** Service Quotas code of running on-demand G and VT instances, the only instance quota that is simulated. */
const onDemandG = "L-DB2E81BA";

/** The instances of a node group, oldest first. */
export function instancesOf(cloud: CloudState, group: CloudObject): CloudObject[] {
  return cloud.find(types.instance, { nodeGroupId: group.id });
}

/** vCPUs of the running on-demand G and VT instances. */
export function gpuVcpusInUse(cloud: CloudState): number {
  const instances = cloud.find(types.instance);
  return instances.reduce((sum, { inputs, computed }) => sum + gpuVcpus(inputs["instanceType"], computed["spot"]), 0);
}

function gpuVcpus(name: unknown, spot: unknown): number {
  const type = instanceType(stringOf(name));
  return spot !== true && type?.quotaCodes.onDemand === onDemandG ? type.vcpus : 0;
}

/** Whether the quota allows this many more instances of a node group. */
function fitsQuota(cloud: CloudState, group: CloudObject, more: number): boolean {
  const type = instanceTypesOf(group.inputs, templateOf(cloud, group.inputs)?.inputs)[0];
  const wanted = gpuVcpus(type, group.inputs["capacityType"] === "SPOT") * more;
  return wanted === 0 || gpuVcpusInUse(cloud) + wanted <= cloud.account.gpuVcpuQuota;
}

/** The health issue of a group that has fewer instances than its desired size. */
export function launchFailure(cloud: CloudState, group: CloudObject): string | undefined {
  if (instancesOf(cloud, group).length >= scalingConfigOf(group.inputs).desiredSize) return undefined;
  const { code, message } = lackOfCapacity(cloud, group) ?? lackOfQuota(cloud);
  return `AsgInstanceLaunchFailures: Could not launch On-Demand Instances. ${code} - ${message}`;
}

/** Why EC2 launches no further instance of a group. */
interface LaunchObstacle {
  readonly code: string;
  readonly message: string;
}

function launchObstacle(cloud: CloudState, group: CloudObject): LaunchObstacle | undefined {
  return lackOfCapacity(cloud, group) ?? (fitsQuota(cloud, group, 1) ? undefined : lackOfQuota(cloud));
}

/** @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ts-as-capacity.html */
function lackOfCapacity(cloud: CloudState, group: CloudObject): LaunchObstacle | undefined {
  const [type = ""] = instanceTypesOf(group.inputs, templateOf(cloud, group.inputs)?.inputs);
  if (!cloud.account.soldOut?.includes(type)) return undefined;
  const [zone = ""] = zonesOf(cloud, group.inputs, "subnetIds[*]");
  const message =
    `We currently do not have sufficient ${type} capacity in the Availability Zone you requested (${zone}). ` +
    "Our system will be working on provisioning additional capacity. Launching EC2 instance failed.";
  return { code: "InsufficientInstanceCapacity", message };
}

/** The message of Auto Scaling. @see https://github.com/klothoplatform/klotho/pull/311 */
function lackOfQuota({ account }: CloudState): LaunchObstacle {
  const message =
    "You have requested more vCPU capacity than your current " +
    `vCPU limit of ${account.gpuVcpuQuota} allows for the instance bucket that the specified instance type belongs to. ` +
    "Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit. " +
    "Launching EC2 instance failed.";
  return { code: "VcpuLimitExceeded", message };
}

/**
 * Makes room for a rolling update, and returns whether the quota allows it. EKS launches new nodes before it terminates old
 * ones: twice the number of zones, or `maxUnavailable`. They count against the quota, regardless of `maxSize`. With the
 * strategy MINIMAL, EKS terminates `maxUnavailable` old nodes first.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html
 */
export function makeRoomForUpdate(cloud: CloudState, group: CloudObject): boolean {
  const unavailable = Number(valuesAt(group.inputs, "updateConfig.maxUnavailable")[0] ?? 1);
  if (valuesAt(group.inputs, "updateConfig.updateStrategy")[0] !== "MINIMAL") {
    return fitsQuota(cloud, group, Math.max(2 * zonesOf(cloud, group.inputs, "subnetIds[*]").length, unavailable));
  }
  const ended = instancesOf(cloud, group).slice(0, unavailable);
  for (const { type, id } of ended) cloud.remove(type, id);
  return fitsQuota(cloud, group, ended.length);
}

/** The result of scaling a node group. */
interface ScaleResult {
  /** Number of running nodes. */
  readonly nodes: number;
  /** The health issue of a group that has fewer nodes than its desired size. */
  readonly issue: string | undefined;
}

/**
 * Scales a node group outside of Pulumi, as `aws eks update-nodegroup-config --scaling-config desiredSize=…` does.
 *
 * @param nodeGroupName the name of the group, or its beginning
 * @throws CloudError when EKS rejects the size
 */
export function scaleNodeGroup(cloud: CloudState, nodeGroupName: string, desiredSize: number): ScaleResult {
  const group = cloud
    .find(types.nodeGroup)
    .find((each) => stringOf(propertyOf(each, "nodeGroupName")).startsWith(nodeGroupName));
  if (!group) throw new Error(`Node group ${nodeGroupName} does not exist`);
  return scaleGroup(cloud, group, { ...scalingConfigOf(group.inputs), desiredSize });
}

/** Gives a node group other sizes, as UpdateNodegroupConfig does. @throws CloudError when EKS rejects a size */
export function scaleGroup(cloud: CloudState, group: CloudObject, sizes: ScalingConfig): ScaleResult {
  const error = rejectFailed(group) ?? rejectSizes(sizes);
  if (error) throw error;
  cloud.drift(group.type, group.id, { scalingConfig: sizes });
  return reconcileSize(cloud, cloud.get(group.type, group.id) ?? group);
}

/**
 * Launches what a group lacks, as EC2 Auto Scaling keeps trying, and sets the status of the group. EKS does not look again at
 * a group whose creation failed, even if its nodes join later.
 *
 * @see https://github.com/aws/containers-roadmap/issues/764
 */
export function reconcileSize(cloud: CloudState, group: CloudObject): ScaleResult {
  reconcileInstances(cloud, group);
  const issue = launchFailure(cloud, group);
  const status = issue === undefined ? "ACTIVE" : "DEGRADED";
  if (!hasFailed(group)) cloud.put({ ...group, computed: { ...group.computed, status } });
  return { nodes: instancesOf(cloud, group).length, issue };
}
