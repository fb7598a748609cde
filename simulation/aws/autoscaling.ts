import { CloudError } from "../cloud/errors";
import type { ResourceModel } from "../cloud/model";
import { valuesAt } from "../../components/core/reader/paths";
import { types } from "./types";
import { stringOf } from "./values";

/** A tag on an Auto Scaling group that something else made; it goes with the group. */
export const autoscalingTag: ResourceModel = {
  type: types.autoscalingTag,
  required: ["autoscalingGroupName", "tag"],
  immutable: ["autoscalingGroupName", "tag.key"],
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
  computes: ["region"],
  computed: ({ cloud }) => ({ region: cloud.account.region }),
};
