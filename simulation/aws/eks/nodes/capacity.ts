import { instanceType } from "../../../../components/nodes/machine/instance-types";
import type { WorldObject } from "../../../world/kind";
import { valuesAt } from "../../../world/paths";
import type { World } from "../../../world/world";
import { shown } from "../../values";
import { zonesOf } from "../subnets";
import { eksTypes } from "../types";
import { instanceTypesOf, sizesOf, templateOf } from "./node-group-rules";

/** Service Quotas code of on-demand G and VT instances, the only ones counted here. */
const onDemandG = "L-DB2E81BA";

/** The machines of a group, oldest first. */
export function machinesOf(world: World, group: WorldObject): WorldObject[] {
  return world.find(eksTypes.instance, { nodeGroupId: group.id });
}

/** vCPUs of the running on-demand G and VT instances. */
export function gpuVcpusInUse(world: World): number {
  const machines = world.find(eksTypes.instance);
  return machines.reduce((sum, { inputs, computed }) => sum + gpuVcpus(inputs["instanceType"], computed["spot"]), 0);
}

function gpuVcpus(name: unknown, spot: unknown): number {
  const type = instanceType(shown(name));
  return spot !== true && type?.quotaCodes.onDemand === onDemandG ? type.vcpus : 0;
}

/** Whether the account may start so many more machines of a group. */
export function fitsQuota(world: World, group: WorldObject, more: number): boolean {
  const type = instanceTypesOf(group.inputs, templateOf(world, group.inputs)?.inputs)[0];
  const wanted = gpuVcpus(type, group.inputs["capacityType"] === "SPOT") * more;
  return wanted === 0 || gpuVcpusInUse(world) + wanted <= world.account.gpuVcpuQuota;
}

/** The health issue of a group that has fewer machines than it wants; undefined when it has all. */
export function launchProblem(world: World, group: WorldObject): string | undefined {
  if (machinesOf(world, group).length >= sizesOf(group.inputs).desiredSize) return undefined;
  return `AsgInstanceLaunchFailures: ${quotaWords(world)}`;
}

/** As Auto Scaling tells it. @see https://github.com/klothoplatform/klotho/pull/311 */
function quotaWords({ account }: World): string {
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
export function makeRoomToRoll(world: World, group: WorldObject): boolean {
  const unavailable = Number(valuesAt(group.inputs, "updateConfig.maxUnavailable")[0] ?? 1);
  if (valuesAt(group.inputs, "updateConfig.updateStrategy")[0] !== "MINIMAL") {
    return fitsQuota(world, group, Math.max(2 * zonesOf(world, group.inputs, "subnetIds[*]").length, unavailable));
  }
  const ended = machinesOf(world, group).slice(0, unavailable);
  for (const { type, id } of ended) world.lose(type, id);
  return fitsQuota(world, group, ended.length);
}
