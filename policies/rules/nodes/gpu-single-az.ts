import { all, not } from "../../../components/core/reader/truth";
import { count } from "../../engine/parameters";
import type { Resource } from "../../engine/resource";
import { adviseIf, failIf, type Violation } from "../../engine/rule";
import { clusterRule } from "../../facts/each-cluster";
import { isForInference, purposeTypes } from "../../facts/gpu-purpose";
import { templateTypes } from "../../facts/launch-templates";
import { moreThan, placeOf, subnet, zonesOf, type Count } from "../../facts/network";
import { isGpuGroup, nodeGroupsIn } from "../../facts/node-groups";
import { nodeTypes } from "../../facts/node-sources";

/**
 * The zones are known for subnets of the stack. Of other subnets only the number is known, and each counts as one zone.
 * A `GpuNodeGroup` has one subnet, so only the node group that it creates is checked.
 *
 * Several zones are only advised against if the stack shows that the GPUs are for inference: it has a Deployment with
 * GPUs or an InferenceService of KServe, and nothing that uses several nodes together, such as a parallel Job with GPUs,
 * an MPIJob or EFA. Replicas that do not depend on each other survive the failure of a zone. Without a workload in the
 * stack the rule fails.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html
 */
export const gpuSingleAz = clusterRule({
  id: "gpu-single-az",
  title: "The GPU nodes of a group are in one Availability Zone.",
  severity: "medium",
  incident: "two GPU nodes started in different zones, and an NCCL test measured the network between the zones",
  types: [...nodeTypes, ...templateTypes, subnet, ...purposeTypes],
  parameters: { maxZones: count(1, 1, "Largest number of zones of a GPU node group.") },
  *judge(stack, { maxZones }) {
    const isInference = isForInference(stack);
    for (const group of nodeGroupsIn(stack, nodeTypes)) {
      const zones = zonesOf(group, stack);
      const isSpread = all(isGpuGroup(group, stack), moreThan(zones, maxZones));
      yield failIf(all(isSpread, not(isInference)), () => fault(group, zones, maxZones, harm), group);
      yield adviseIf(all(isSpread, isInference), () => fault(group, zones, maxZones, harmOfInference), group);
    }
  },
});

const harm =
  "Traffic between zones is slower and is billed in both directions. A volume cannot move to another zone with its pod. The zone of the next node is random.";
const harmOfInference =
  "Inference on several zones survives the failure of a zone. But traffic between zones is billed in both directions, and a volume cannot move to another zone with its pod.";

function fault(group: Resource, zones: Count, maxZones: number, why: string): Violation {
  const { path } = group.at(placeOf(group));
  return {
    path,
    got: zones.least > maxZones ? `${zones.least} zones` : `${zones.most} subnets, each possibly in another zone`,
    why,
    fix: maxZones === 1 ? `set one subnet in ${path}` : `set subnets of at most ${maxZones} zones in ${path}`,
  };
}
