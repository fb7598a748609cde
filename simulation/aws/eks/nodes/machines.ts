import { CloudError } from "../../../world/cloud-error";
import type { Kind, WorldObject } from "../../../world/kind";
import { valuesAt } from "../../../world/paths";
import { propertyOf, type World } from "../../../world/world";
import { holdsGroup, holdsSubnet } from "../../network/references";
import { types } from "../../types";
import { shown } from "../../values";
import { digitsFor } from "../hashes";
import { eksTypes } from "../types";
import { fitsQuota, machinesOf } from "./capacity";
import { instanceTypesOf, sizesOf, templateOf } from "./node-group-rules";

/** A node's machine. Its network interface keeps its subnet and its security groups from being deleted. */
export const instance: Kind = {
  type: eksTypes.instance,
  references: [
    { path: "subnetId", to: types.subnet, missing: gone, held: holdsSubnet },
    { path: "vpcSecurityGroupIds[*]", to: types.securityGroup, missing: gone, held: holdsGroup },
  ],
  id: (_, serial) => `i-${serial}`,
};

/** The Auto Scaling group that EKS makes beside a node group. */
export const autoscalingGroup: Kind = {
  type: eksTypes.autoscalingGroup,
  id: ({ inputs }) => shown(inputs["name"]),
};

function gone(id: string): CloudError {
  return new CloudError("InvalidParameterValue", `${id} does not exist`);
}

/**
 * Starts and ends machines until the group has as many as it wants, or as the account may have. Machines of another
 * version, image or launch template than the group's go first.
 */
export function matchMachines(world: World, group: WorldObject): void {
  const launch = launchOf(group);
  for (const machine of machinesOf(world, group)) {
    if (machine.computed["launch"] !== launch) world.lose(machine.type, machine.id);
  }
  const { desiredSize } = sizesOf(group.inputs);
  for (const machine of machinesOf(world, group).slice(desiredSize)) world.lose(machine.type, machine.id);
  for (let index = machinesOf(world, group).length; index < desiredSize; index++) {
    if (!fitsQuota(world, group, 1)) break;
    start(world, group, index, launch);
  }
  putAutoscalingGroup(world, group);
}

/** What decides whether a machine must be replaced. */
export function launchOf({ inputs, computed }: WorldObject): string {
  const { version, releaseVersion } = { ...computed, ...inputs };
  const template = valuesAt(inputs, "launchTemplate.version").concat(valuesAt(inputs, "launchTemplate.id"));
  return [version, releaseVersion, ...template].map(shown).join(" ");
}

function start(world: World, group: WorldObject, index: number, launch: string): void {
  const template = templateOf(world, group.inputs);
  const subnetIds = valuesAt(group.inputs, "subnetIds[*]").map(shown);
  const nodeGroupName = shown(propertyOf(group, "nodeGroupName"));
  const clusterName = shown(group.inputs["clusterName"]);
  world.put({
    type: eksTypes.instance,
    id: freeId(world, group.id),
    inputs: {
      instanceType: instanceTypesOf(group.inputs, template?.inputs)[0],
      subnetId: subnetIds[index % subnetIds.length],
      vpcSecurityGroupIds: securityGroupsOf(world, clusterName, template),
      tags: { "eks:cluster-name": clusterName, "eks:nodegroup-name": nodeGroupName },
    },
    computed: { nodeGroupId: group.id, launch, spot: group.inputs["capacityType"] === "SPOT" },
  });
}

function freeId(world: World, groupId: string): string {
  for (let ordinal = 0; ; ordinal++) {
    const id = `i-${digitsFor(world, `${groupId} ${ordinal}`, 17)}`;
    if (!world.get(eksTypes.instance, id)) return id;
  }
}

/** Without groups in the template EKS gives nodes the cluster's own. */
function securityGroupsOf(world: World, clusterName: string, template: WorldObject | undefined): string[] {
  const paths = ["vpcSecurityGroupIds[*]", "networkInterfaces[*].securityGroups[*]"];
  const named = paths.flatMap((path) => valuesAt(template?.inputs ?? {}, path)).map(shown);
  if (named.length > 0) return [...new Set(named)];
  const cluster = world.get(eksTypes.cluster, clusterName);
  return valuesAt(cluster?.computed ?? {}, "vpcConfig.clusterSecurityGroupId").map(shown);
}

function putAutoscalingGroup(world: World, group: WorldObject): void {
  const name = autoscalingGroupOf(group);
  const { minSize, maxSize, desiredSize } = sizesOf(group.inputs);
  const inputs = { name, minSize, maxSize, desiredCapacity: desiredSize };
  world.put({ type: eksTypes.autoscalingGroup, id: name, inputs, computed: {} });
}

/** The name of the Auto Scaling group of a node group. */
export function autoscalingGroupOf({ computed }: WorldObject): string {
  return shown(valuesAt(computed, "resources[*].autoscalingGroups[*].name")[0]);
}
