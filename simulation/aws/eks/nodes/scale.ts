import { propertyOf } from "../../../cloud/model";
import type { SimulatedCloud } from "../../../cloud/simulated-cloud";
import { types } from "../../types";
import { stringOf } from "../../values";
import { instancesOf, launchFailure, reconcileInstances } from "./instances";
import { rejectSizes, scalingConfigOf } from "./node-group-rules";

/** What became of a group that was scaled. */
export interface ScaleResult {
  /** Nodes that run. */
  readonly nodes: number;
  /** The health issue of a group that could not start them all. */
  readonly issue: string | undefined;
}

/**
 * Scales a node group behind Pulumi's back, as `aws eks update-nodegroup-config --scaling-config desiredSize=…` does.
 *
 * @param nodeGroupName the group's name or how it begins
 * @throws CloudError when EKS refuses the size
 */
export function scaleNodeGroup(cloud: SimulatedCloud, nodeGroupName: string, desiredSize: number): ScaleResult {
  const group = cloud
    .find(types.nodeGroup)
    .find((each) => stringOf(propertyOf(each, "nodeGroupName")).startsWith(nodeGroupName));
  if (!group) throw new Error(`there is no node group ${nodeGroupName}`);
  const sizes = { ...scalingConfigOf(group.inputs), desiredSize };
  const refused = rejectSizes(sizes);
  if (refused) throw refused;

  cloud.drift(group.type, group.id, { scalingConfig: sizes });
  const scaled = cloud.get(group.type, group.id) ?? group;
  reconcileInstances(cloud, scaled);
  const issue = launchFailure(cloud, scaled);
  const status = issue === undefined ? "ACTIVE" : "DEGRADED";
  cloud.put({ ...scaled, computed: { ...scaled.computed, status } });
  return { nodes: instancesOf(cloud, scaled).length, issue };
}
