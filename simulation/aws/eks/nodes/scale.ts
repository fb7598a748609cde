import { propertyOf } from "../../../cloud/model";
import type { SimulatedCloud } from "../../../cloud/simulated-cloud";
import { types } from "../../types";
import { stringOf } from "../../values";
import { instancesOf, launchFailure, reconcileInstances } from "./instances";
import { rejectSizes, scalingConfigOf } from "./node-group-rules";

/** The result of scaling a node group. */
export interface ScaleResult {
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
export function scaleNodeGroup(cloud: SimulatedCloud, nodeGroupName: string, desiredSize: number): ScaleResult {
  const group = cloud
    .find(types.nodeGroup)
    .find((each) => stringOf(propertyOf(each, "nodeGroupName")).startsWith(nodeGroupName));
  if (!group) throw new Error(`Node group ${nodeGroupName} does not exist`);
  const sizes = { ...scalingConfigOf(group.inputs), desiredSize };
  const error = rejectSizes(sizes);
  if (error) throw error;

  cloud.drift(group.type, group.id, { scalingConfig: sizes });
  const scaled = cloud.get(group.type, group.id) ?? group;
  reconcileInstances(cloud, scaled);
  const issue = launchFailure(cloud, scaled);
  const status = issue === undefined ? "ACTIVE" : "DEGRADED";
  cloud.put({ ...scaled, computed: { ...scaled.computed, status } });
  return { nodes: instancesOf(cloud, scaled).length, issue };
}
