import { all, any, equals, not, some, type Truth } from "../../engine/values";
import { adviseAt, count, failAt, onEach, type Resource, type Stack } from "../../engine/rule";
import { clusterRule } from "../../facts/each-cluster";
import { launchTemplate, templateTypes } from "../../facts/launch-templates";
import { someOf } from "../../facts/lists";
import { moreThan, placeOf, subnet, zonesOf } from "../../facts/network";
import { isGpuGroup, nodeGroupsIn } from "../../facts/node-groups";
import { nodePools, nodeTypes } from "../../facts/node-sources";
import { deployment, job, podTemplate, requestsGpu, statefulSet } from "../../facts/pods";

const inferenceService = "kubernetes:serving.kserve.io/v1beta1:InferenceService";

/** Types of which each object is a group of pods on several nodes. */
const groupsOfPods: readonly string[] = [
  "eks-gpu-lab:index:NcclTest",
  "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet",
  "kubernetes:kubeflow.org/v1:PyTorchJob",
  "kubernetes:kubeflow.org/v2beta1:MPIJob",
  "kubernetes:leaderworkerset.x-k8s.io/v1:LeaderWorkerSet",
  "kubernetes:ray.io/v1:RayCluster",
  "kubernetes:ray.io/v1:RayJob",
  "kubernetes:trainer.kubeflow.org/v1alpha1:TrainJob",
];

/**
 * The rule knows the zones of the stack's subnets. Each other subnet counts as one zone. A `GpuNodeGroup` has one
 * subnet, so only the node group that it creates is checked.
 *
 * A stack for inference gets advice, because replicas survive the failure of a zone. Such a stack has a Deployment with
 * GPUs or an InferenceService of KServe, and nothing that uses several nodes together, such as a parallel Job with
 * GPUs, an MPIJob or EFA.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html
 */
export const gpuSingleAz = clusterRule({
  id: "gpu-single-az",
  title: "The GPU nodes of a group are in one Availability Zone.",
  severity: "medium",
  incident: "two GPU nodes started in different zones, and an NCCL test measured the network between the zones",
  types: [...nodeTypes, ...templateTypes, subnet, deployment, statefulSet, job, inferenceService, ...groupsOfPods],
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
  "Inference in several zones survives the failure of a zone. However, traffic between zones is billed in both directions, and a volume cannot move to another zone with its pod.";

/**
 * Whether the GPUs of a stack serve pods that do not depend on each other: a Deployment with GPUs or an InferenceService
 * of KServe is in the stack, and nothing that spans nodes. Without a workload in the stack, the purpose is not known.
 */
function isForInference(stack: Stack): Truth {
  const serves = any(
    stack.ofType(inferenceService).length > 0,
    some(stack.ofType(deployment), (one) => requestsGpu(podTemplate(one))),
  );
  return all(serves, not(spansNodes(stack)));
}

/** Whether something uses several nodes together: groups of pods, parallel Jobs with GPUs, and EFA. */
function spansNodes(stack: Stack): Truth {
  return any(
    stack.ofType(...groupsOfPods).length > 0,
    some(stack.ofType(job), isParallel),
    some(stack.ofType(deployment, statefulSet, job), requestsEfa),
    some(stack.ofType(launchTemplate), hasEfa),
  );
}

function isParallel(one: Resource): Truth {
  const isMany = one.integer("spec.parallelism").is((number) => number > 1);
  return all(isMany, requestsGpu(podTemplate(one)));
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html */
function requestsEfa(workload: Resource): Truth {
  return podTemplate(workload).someContainer((container) =>
    someOf(container.entries("resources.limits"), ([name]) => name === "vpc.amazonaws.com/efa"),
  );
}

function hasEfa(template: Resource): Truth {
  return someOf(template.list("networkInterfaces"), (one) => equals(one.text("interfaceType"), "efa", "efa-only"));
}
