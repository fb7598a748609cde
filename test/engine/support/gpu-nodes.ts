import { launchProblem, machinesOf } from "../../../simulation/aws/eks/nodes/capacity";
import { scale } from "../../../simulation/aws/eks/nodes/scale";
import { eksTypes } from "../../../simulation/aws/eks/types";
import type { WorldObject } from "../../../simulation/world/kind";
import type { World } from "../../../simulation/world/world";

/** The node group of the GPU nodes. */
export function gpuNodes(world: World): WorldObject {
  const isGpu = ({ inputs }: WorldObject) => String(inputs["nodeGroupNamePrefix"]).endsWith("-gpu-");
  const group = world.find(eksTypes.nodeGroup).find(isGpu);
  if (!group) throw new Error("there are no GPU nodes");
  return group;
}

/** The AMI release of each GPU node that runs. */
export function gpuReleases(world: World): string[] {
  return machinesOf(world, gpuNodes(world)).map(({ computed }) => String(computed["launch"]).split(" ")[1] ?? "");
}

/** What `aws eks describe-nodegroup` tells of the group's health; undefined when all is well. */
export function gpuHealth(world: World): string | undefined {
  return launchProblem(world, gpuNodes(world));
}

/** As a session does, or Auto Scaling itself, which goes on trying for the nodes that it did not get. */
export function scaleGpuNodes(world: World, desiredSize: number): void {
  scale(world, "myeks-gpu-", desiredSize);
}
