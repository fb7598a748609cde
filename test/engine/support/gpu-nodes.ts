import { instancesOf, launchFailure } from "../../../simulation/aws/eks/nodes/instances";
import { scaleNodeGroup } from "../../../simulation/aws/eks/nodes/scale";
import { types } from "../../../simulation/aws/types";
import type { CloudObject } from "../../../simulation/cloud/model";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";

/** The node group of the GPU nodes. */
export function gpuNodes(cloud: SimulatedCloud): CloudObject {
  const isGpu = ({ inputs }: CloudObject) => String(inputs["nodeGroupNamePrefix"]).endsWith("-gpu-");
  const group = cloud.find(types.nodeGroup).find(isGpu);
  if (!group) throw new Error("there are no GPU nodes");
  return group;
}

/** The AMI release of each GPU node that runs. */
export function gpuReleases(cloud: SimulatedCloud): string[] {
  return instancesOf(cloud, gpuNodes(cloud)).map(
    ({ computed }) => String(computed["launchVersion"]).split(" ")[1] ?? "",
  );
}

/** What `aws eks describe-nodegroup` tells of the group's health; undefined when all is well. */
export function gpuHealth(cloud: SimulatedCloud): string | undefined {
  return launchFailure(cloud, gpuNodes(cloud));
}

/** As a session does, or Auto Scaling itself, which goes on trying for the nodes that it did not get. */
export function scaleGpuNodes(cloud: SimulatedCloud, desiredSize: number): void {
  scaleNodeGroup(cloud, "myeks-gpu-", desiredSize);
}
