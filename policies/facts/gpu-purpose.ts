import { all, any, equals, not, some, type Truth } from "../engine/values";
import type { Resource, Stack } from "../engine/resource";
import { someOf } from "./lists";
import { launchTemplate } from "./launch-templates";
import { deployment, job, podTemplate, requestsGpu, statefulSet } from "./pods";

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

/** The types that {@link isForInference} reads. */
export const purposeTypes: readonly string[] = [
  ...[deployment, statefulSet, job, inferenceService, launchTemplate],
  ...groupsOfPods,
];

/**
 * Whether the GPUs of a stack serve pods that do not depend on each other: a Deployment with GPUs or an InferenceService
 * of KServe is in the stack, and nothing that spans nodes. Without a workload in the stack, the purpose is not known.
 */
export function isForInference(stack: Stack): Truth {
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
