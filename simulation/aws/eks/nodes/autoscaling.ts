import { valuesAt } from "../../../../components/core/reader/paths";
import { isRecord } from "../../../../components/core/reader/records";
import { uuidFor } from "../common";
import { scalingConfigOf } from "./node-group-rules";
import { types } from "../../types";
import { stringOf } from "../../values";
import { CloudError } from "../../../cloud/errors";
import type { CloudObject, ResourceModel, CloudState } from "../../../cloud/model";

/** The Auto Scaling group that EKS creates for a node group. */
export const autoscalingGroup: ResourceModel = {
  type: types.autoscalingGroup,
  id: ({ inputs }) => stringOf(inputs["name"]),
};

/** Creates or updates the Auto Scaling group of a node group. */
export function putAutoscalingGroup(cloud: CloudState, group: CloudObject): void {
  const name = autoscalingGroupName(group);
  const { minSize, maxSize, desiredSize } = scalingConfigOf(group.inputs);
  const inputs = { name, minSize, maxSize, desiredCapacity: desiredSize };
  const { computed = {} } = cloud.get(types.autoscalingGroup, name) ?? {};
  cloud.put({ type: types.autoscalingGroup, id: name, inputs, computed });
}

/** The name of the Auto Scaling group of a node group. */
export function autoscalingGroupName({ computed }: CloudObject): string {
  return stringOf(valuesAt(computed, "resources[*].autoscalingGroups[*].name")[0]);
}

/** A tag on an Auto Scaling group. It is deleted with the group. */
export const autoscalingTag: ResourceModel = {
  type: types.autoscalingTag,
  required: ["autoscalingGroupName", "tag"],
  references: [
    {
      path: "autoscalingGroupName",
      to: types.autoscalingGroup,
      missing: (name) =>
        new CloudError("ValidationError", `AutoScalingGroup not found - AutoScaling Group ${name} not found`),
      onDelete: "cascade",
    },
  ],
  id: ({ inputs }) => `${stringOf(inputs["autoscalingGroupName"])},${stringOf(valuesAt(inputs, "tag.key")[0])}`,
  computed: ({ cloud }) => ({ region: cloud.account.region }),
};

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
