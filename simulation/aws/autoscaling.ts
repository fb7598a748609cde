import { CloudError } from "../world/cloud-error";
import type { Kind } from "../world/kind";
import { valuesAt } from "../world/paths";
import { types } from "./types";
import { shown } from "./values";

/** A tag on an Auto Scaling group that something else made; it goes with the group. */
export const autoscalingTag: Kind = {
  type: types.autoscalingTag,
  required: ["autoscalingGroupName", "tag"],
  immutable: ["autoscalingGroupName", "tag.key"],
  references: [
    {
      path: "autoscalingGroupName",
      to: types.autoscalingGroup,
      missing: (name) =>
        new CloudError("ValidationError", `AutoScalingGroup not found - AutoScaling Group ${name} not found`),
      held: "goes-along",
    },
  ],
  id: ({ inputs }) => `${shown(inputs["autoscalingGroupName"])},${shown(valuesAt(inputs, "tag.key")[0])}`,
  computes: ["region"],
  computed: ({ world }) => ({ region: world.account.region }),
};
