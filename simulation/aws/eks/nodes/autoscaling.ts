import { CloudError } from "../../../cloud/errors";
import type { CloudObject, ResourceModel, CloudState } from "../../../cloud/model";
import { valuesAt } from "../../../../components/core/reader/paths";
import { types } from "../../types";
import { stringOf } from "../../values";
import { scalingConfigOf } from "./node-group-rules";

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
