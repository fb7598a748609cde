import { isRecord } from "../../../../components/core/reader/records";
import type { CloudObject, CloudState } from "../../../cloud/model";
import { types } from "../../types";
import { uuidFor } from "../generated";
import { autoscalingGroupName } from "./autoscaling";

/** An attempt of EC2 Auto Scaling to start or stop an instance. */
export interface ScalingActivity {
  readonly id: string;
  readonly status: "Successful" | "Failed";
  readonly description: string;
  /** Why it failed. */
  readonly message?: string;
  /** In ISO 8601. */
  readonly at: string;
}

/** EC2 Auto Scaling keeps activities for six weeks. These fill one page of its answer. */
const kept = 100;

/** The scaling activities of an Auto Scaling group, the latest first. */
export function activitiesOf(autoscalingGroup: CloudObject): readonly ScalingActivity[] {
  const { activities } = autoscalingGroup.computed;
  return Array.isArray(activities) ? (activities.filter(isRecord) as unknown as ScalingActivity[]) : [];
}

/** Records an activity of the Auto Scaling group of a node group, once the group exists. */
export function recordActivity(
  cloud: CloudState,
  nodeGroup: CloudObject,
  activity: Pick<ScalingActivity, "status" | "description" | "message">,
): void {
  const group = cloud.get(types.autoscalingGroup, autoscalingGroupName(nodeGroup));
  if (!group) return;
  const count = Number(group.computed["activityCount"] ?? 0) + 1;
  const id = uuidFor(cloud, `activity ${count} of ${group.id}`);
  const at = cloud.date.toISOString();
  const activities = [{ id, at, ...activity }, ...activitiesOf(group)].slice(0, kept);
  cloud.put({ ...group, computed: { ...group.computed, activities, activityCount: count } });
}
