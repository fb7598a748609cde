import { all } from "../../../components/core/reader/truth";
import { count } from "../../engine/parameters";
import { failIf, stackRule } from "../../engine/rule";
import { launchTemplate } from "../../facts/launch-templates";
import { moreThan, placeOf, subnet, zonesOf } from "../../facts/network";
import { isGpuGroup, managedNodeGroup, nodeGroup, nodeGroupV2, scalingGroup } from "../../facts/node-groups";

const groups = [nodeGroup, managedNodeGroup, nodeGroupV2, scalingGroup];

/**
 * The zones are known for subnets of the stack. Of other subnets only the number is known, and each counts as one zone.
 * A `GpuNodeGroup` has one subnet, so only the node group that it creates is checked.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html
 */
export const gpuSingleAz = stackRule({
  id: "gpu-single-az",
  title: "The GPU nodes of a group are in one Availability Zone.",
  severity: "medium",
  incident: "two GPU nodes started in different zones, and an NCCL test measured the network between the zones",
  types: [...groups, launchTemplate, subnet],
  parameters: { maxZones: count(1, 1, "Largest number of zones of a GPU node group.") },
  *judge(stack, { maxZones }) {
    for (const group of stack.ofType(...groups)) {
      const zones = zonesOf(group, stack);
      const place = placeOf(group);
      yield failIf(
        all(isGpuGroup(group, stack), moreThan(zones, maxZones)),
        () => ({
          path: place,
          got: zones.least > maxZones ? `${zones.least} zones` : `${zones.most} subnets, each possibly in another zone`,
          why: "Traffic between zones is slower and is billed in both directions. A volume cannot move to another zone with its pod. The zone of the next node is random.",
          fix: maxZones === 1 ? `set one subnet in ${place}` : `set subnets of at most ${maxZones} zones in ${place}`,
        }),
        group,
      );
    }
  },
});
