import { type CloudObject, propertyOf, type CloudState } from "../../../cloud/model";
import { types } from "../../types";
import { stringOf } from "../../values";
import { instancesOf, launchFailure, reconcileInstances } from "./instances";
import { hasFailed, rejectFailed, rejectSizes, scalingConfigOf, type ScalingConfig } from "./node-group-rules";

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
