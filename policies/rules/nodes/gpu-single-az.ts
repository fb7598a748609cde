import { all } from "../../../components/core/reader/truth";
import { count } from "../../engine/parameters";
import { failIf, stackRule } from "../../engine/rule";
import { launchTemplate } from "../../facts/launch-templates";
import { moreThan, placeOf, subnet, zonesOf } from "../../facts/network";
import { isGpuGroup, managedNodeGroup, nodeGroup, nodeGroupV2, scalingGroup } from "../../facts/node-groups";

const groups = [nodeGroup, managedNodeGroup, nodeGroupV2, scalingGroup];

/**
 * The zones of subnets that the stack makes are known. Of others only their number is: each then counts as a zone, as
 * it does in nearly every network. A `GpuNodeGroup` takes one subnet, so only the group it makes is judged.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html
 */
export const gpuSingleAz = stackRule({
  id: "gpu-single-az",
  title: "The GPU nodes of a group stand in one zone.",
  severity: "medium",
  incident: "two GPU nodes came up in different zones, and their NCCL results measured the distance between the zones",
  types: [...groups, launchTemplate, subnet],
  parameters: { maxZones: count(1, 1, "Most zones of a group of GPU nodes.") },
  *judge(stack, { maxZones }) {
    for (const group of stack.ofType(...groups)) {
      const zones = zonesOf(group, stack);
      const place = placeOf(group);
      yield failIf(
        all(isGpuGroup(group, stack), moreThan(zones, maxZones)),
        () => ({
          path: place,
          got:
            zones.least > maxZones
              ? `${zones.least} zones`
              : `${zones.most} subnets, of as many zones unless proven otherwise`,
          why: "Traffic between zones is slower and costs money in both directions, a volume cannot follow a pod to another zone, and which zone the next node gets is left to chance.",
          fix:
            maxZones === 1 ? `put one subnet into ${place}` : `put subnets of ${maxZones} zones at most into ${place}`,
        }),
        group,
      );
    }
  },
});
