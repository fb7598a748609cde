import { all, not } from "../../engine/values";
import { adviseAt, count, failAt, onEach, type Resource } from "../../engine/rule";
import { clusterRule } from "../../facts/each-cluster";
import { isForInference, purposeTypes } from "../../facts/gpu-purpose";
import { templateTypes } from "../../facts/launch-templates";
import { moreThan, placeOf, subnet, zonesOf } from "../../facts/network";
import { isGpuGroup, nodeGroupsIn } from "../../facts/node-groups";
import { nodePools, nodeTypes } from "../../facts/node-sources";

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
    yield* onEach(nodeGroupsIn(stack, nodeTypes), function* (group) {
      const zones = zonesOf(group, stack);
      const place = group.at(placeOf(group));
      const fault = {
        got: zones.least > maxZones ? `${zones.least} zones` : `${zones.most} subnets, each possibly in another zone`,
        fix: fixFor(group, maxZones, place.path),
      };
      const isSpread = all(isGpuGroup(group, stack), moreThan(zones, maxZones));
      yield failAt(place, all(isSpread, not(isInference)), { ...fault, why: harm });
      yield adviseAt(place, all(isSpread, isInference), { ...fault, why: harmOfInference });
    });
  },
});

function fixFor({ type }: Resource, most: number, path: string): string {
  const number = most === 1 ? "one" : `at most ${most}`;
  if (nodePools.includes(type)) return `name ${number} in a requirement topology.kubernetes.io/zone of ${path}`;
  if (path.endsWith("availabilityZones")) return `name ${number} in ${path}`;
  return `set ${most === 1 ? "one subnet" : `subnets of at most ${most} zones`} in ${path}`;
}

const harm =
  "Traffic between zones is slower and is billed in both directions. A volume cannot move to another zone with its pod. The zone of the next node is random.";
const harmOfInference =
  "Inference on several zones survives the failure of a zone. But traffic between zones is billed in both directions, and a volume cannot move to another zone with its pod.";
