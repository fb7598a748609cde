import { instancesOf, launchFailure, scaleNodeGroup } from "../../../simulation/aws/eks/nodes/instances";
import { types } from "../../../simulation/aws/types";
import type { CloudObject } from "../../../simulation/cloud/model";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";

/** The node group of the GPU nodes. */
export function gpuNodes(cloud: SimulatedCloud): CloudObject {
  const isGpu = ({ inputs }: CloudObject) => String(inputs["nodeGroupNamePrefix"]).endsWith("-gpu-");
  const group = cloud.find(types.nodeGroup).find(isGpu);
  if (!group) throw new Error("The GPU node group does not exist.");
  return group;
}

/** The AMI release of each running GPU node. */
export function gpuReleases(cloud: SimulatedCloud): string[] {
  return instancesOf(cloud, gpuNodes(cloud)).map(
    ({ computed }) => String(computed["launchVersion"]).split(" ")[1] ?? "",
  );
}

/** The health issue of the group, as in `aws eks describe-nodegroup`. */
export function gpuHealth(cloud: SimulatedCloud): string | undefined {
  return launchFailure(cloud, gpuNodes(cloud));
}

/** Scales the group as a session does, or as Auto Scaling does when it retries launches. */
export function scaleGpuNodes(cloud: SimulatedCloud, desiredSize: number): void {
  scaleNodeGroup(cloud, "myeks-gpu-", desiredSize);
}
