import { valuesAt } from "../../../../components/core/reader/paths";
import { instanceType } from "../../../../components/nodes/machine/instance-types";
import { CloudError } from "../../../cloud/errors";
import { type CloudObject, propertyOf, type ResourceModel } from "../../../cloud/model";
import type { SimulatedCloud } from "../../../cloud/simulated-cloud";
import { groupInUse, subnetInUse } from "../../network/references";
import { types } from "../../types";
import { stringOf } from "../../values";
import { hexFor } from "../generated";
import { zonesOf } from "../common";
import { instanceTypesOf, scalingConfigOf, templateOf } from "./node-group-rules";

/** A node's machine. Its network interface keeps its subnet and its security groups from being deleted. */
export const instance: ResourceModel = {
  type: types.instance,
  references: [
    { path: "subnetId", to: types.subnet, missing: notFound, onDelete: subnetInUse },
    { path: "vpcSecurityGroupIds[*]", to: types.securityGroup, missing: notFound, onDelete: groupInUse },
  ],
  id: (_, serial) => `i-${serial}`,
};

/** The Auto Scaling group that EKS makes beside a node group. */
export const autoscalingGroup: ResourceModel = {
  type: types.autoscalingGroup,
  id: ({ inputs }) => stringOf(inputs["name"]),
};

function notFound(id: string): CloudError {
  return new CloudError("InvalidParameterValue", `${id} does not exist`);
}

/**
 * Starts and ends machines until the group has as many as it wants, or as the account may have. Machines of another
 * version, image or launch template than the group's go first.
 */
export function reconcileInstances(cloud: SimulatedCloud, group: CloudObject): void {
  const launch = launchVersionOf(group);
  for (const machine of instancesOf(cloud, group)) {
    if (machine.computed["launch"] !== launch) cloud.remove(machine.type, machine.id);
  }
  const { desiredSize } = scalingConfigOf(group.inputs);
  for (const machine of instancesOf(cloud, group).slice(desiredSize)) cloud.remove(machine.type, machine.id);
  for (let index = instancesOf(cloud, group).length; index < desiredSize; index++) {
    if (!fitsQuota(cloud, group, 1)) break;
    launchInstance(cloud, group, index, launch);
  }
  putAutoscalingGroup(cloud, group);
}

/** What decides whether a machine must be replaced. */
export function launchVersionOf({ inputs, computed }: CloudObject): string {
  const { version, releaseVersion } = { ...computed, ...inputs };
  const template = valuesAt(inputs, "launchTemplate.version").concat(valuesAt(inputs, "launchTemplate.id"));
  return [version, releaseVersion, ...template].map(stringOf).join(" ");
}

function launchInstance(cloud: SimulatedCloud, group: CloudObject, index: number, launch: string): void {
  const template = templateOf(cloud, group.inputs);
  const subnetIds = valuesAt(group.inputs, "subnetIds[*]").map(stringOf);
  const nodeGroupName = stringOf(propertyOf(group, "nodeGroupName"));
  const clusterName = stringOf(group.inputs["clusterName"]);
  cloud.put({
    type: types.instance,
    id: unusedInstanceId(cloud, group.id),
    inputs: {
      instanceType: instanceTypesOf(group.inputs, template?.inputs)[0],
      subnetId: subnetIds[index % subnetIds.length],
      vpcSecurityGroupIds: securityGroupsOf(cloud, clusterName, template),
      tags: { "eks:cluster-name": clusterName, "eks:nodegroup-name": nodeGroupName },
    },
    computed: { nodeGroupId: group.id, launch, spot: group.inputs["capacityType"] === "SPOT" },
  });
}

function unusedInstanceId(cloud: SimulatedCloud, groupId: string): string {
  for (let ordinal = 0; ; ordinal++) {
    const id = `i-${hexFor(cloud, `${groupId} ${ordinal}`, 17)}`;
    if (!cloud.get(types.instance, id)) return id;
  }
}

/** Without groups in the template EKS gives nodes the cluster's own. */
function securityGroupsOf(cloud: SimulatedCloud, clusterName: string, template: CloudObject | undefined): string[] {
  const paths = ["vpcSecurityGroupIds[*]", "networkInterfaces[*].securityGroups[*]"];
  const named = paths.flatMap((path) => valuesAt(template?.inputs ?? {}, path)).map(stringOf);
  if (named.length > 0) return [...new Set(named)];
  const cluster = cloud.get(types.cluster, clusterName);
  return valuesAt(cluster?.computed ?? {}, "vpcConfig.clusterSecurityGroupId").map(stringOf);
}

function putAutoscalingGroup(cloud: SimulatedCloud, group: CloudObject): void {
  const name = autoscalingGroupName(group);
  const { minSize, maxSize, desiredSize } = scalingConfigOf(group.inputs);
  const inputs = { name, minSize, maxSize, desiredCapacity: desiredSize };
  cloud.put({ type: types.autoscalingGroup, id: name, inputs, computed: {} });
}

/** The name of the Auto Scaling group of a node group. */
export function autoscalingGroupName({ computed }: CloudObject): string {
  return stringOf(valuesAt(computed, "resources[*].autoscalingGroups[*].name")[0]);
}

/** Service Quotas code of on-demand G and VT instances, the only ones counted here. */
const onDemandG = "L-DB2E81BA";

/** The machines of a group, oldest first. */
export function instancesOf(cloud: SimulatedCloud, group: CloudObject): CloudObject[] {
  return cloud.find(types.instance, { nodeGroupId: group.id });
}

/** vCPUs of the running on-demand G and VT instances. */
export function gpuVcpusInUse(cloud: SimulatedCloud): number {
  const machines = cloud.find(types.instance);
  return machines.reduce((sum, { inputs, computed }) => sum + gpuVcpus(inputs["instanceType"], computed["spot"]), 0);
}

function gpuVcpus(name: unknown, spot: unknown): number {
  const type = instanceType(stringOf(name));
  return spot !== true && type?.quotaCodes.onDemand === onDemandG ? type.vcpus : 0;
}

/** Whether the account may start so many more machines of a group. */
export function fitsQuota(cloud: SimulatedCloud, group: CloudObject, more: number): boolean {
  const type = instanceTypesOf(group.inputs, templateOf(cloud, group.inputs)?.inputs)[0];
  const wanted = gpuVcpus(type, group.inputs["capacityType"] === "SPOT") * more;
  return wanted === 0 || gpuVcpusInUse(cloud) + wanted <= cloud.account.gpuVcpuQuota;
}

/** The health issue of a group that has fewer machines than it wants; undefined when it has all. */
export function launchFailure(cloud: SimulatedCloud, group: CloudObject): string | undefined {
  if (instancesOf(cloud, group).length >= scalingConfigOf(group.inputs).desiredSize) return undefined;
  return `AsgInstanceLaunchFailures: ${vcpuLimitMessage(cloud)}`;
}

/** As Auto Scaling tells it. @see https://github.com/klothoplatform/klotho/pull/311 */
function vcpuLimitMessage({ account }: SimulatedCloud): string {
  return (
    "Could not launch On-Demand Instances. VcpuLimitExceeded - You have requested more vCPU capacity than your current " +
    `vCPU limit of ${account.gpuVcpuQuota} allows for the instance bucket that the specified instance type belongs to. ` +
    "Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit. " +
    "Launching EC2 instance failed."
  );
}

/**
 * Makes room to replace a group's nodes, and tells whether there is enough. New nodes start before old ones end: twice as
 * many as there are zones, or `maxUnavailable`, and they count against the quota, whatever `maxSize` says. With the
 * strategy MINIMAL so many old ones end first.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html
 */
export function makeRoomForUpdate(cloud: SimulatedCloud, group: CloudObject): boolean {
  const unavailable = Number(valuesAt(group.inputs, "updateConfig.maxUnavailable")[0] ?? 1);
  if (valuesAt(group.inputs, "updateConfig.updateStrategy")[0] !== "MINIMAL") {
    return fitsQuota(cloud, group, Math.max(2 * zonesOf(cloud, group.inputs, "subnetIds[*]").length, unavailable));
  }
  const ended = instancesOf(cloud, group).slice(0, unavailable);
  for (const { type, id } of ended) cloud.remove(type, id);
  return fitsQuota(cloud, group, ended.length);
}
