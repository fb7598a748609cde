import type { PriorityClassArgs } from "@pulumi/kubernetes/scheduling/v1/priorityClass";
import { oneOf, optional, section, wholeNumber, type GivenOf } from "../../core/schema";
import { workloadLabels } from "./workload";

/**
 * The rank of pods while there are not enough GPUs. Kubernetes reserves greater values.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/
 */
export const priority = section({
  /** Pods with a greater value go first: -1000000000 to 1000000000. Pods without a class have 0. */
  value: wholeNumber({ min: -1_000_000_000, max: 1_000_000_000 }),
  /**
   * Whether a pod that finds no GPU may evict pods of a smaller value: `lower`, or `never`.
   * @default "lower" - the default of Kubernetes; with "never" the pod is only scheduled earlier
   */
  preempts: optional(oneOf(["lower", "never"])),
});

/** The rank of pods while there are not enough GPUs. */
export interface GpuPriority extends Readonly<GivenOf<typeof priority>> {}

/** The name of a class begins with `eks-gpu-lab-`, and a label has at most 63 characters. */
export const longestPriorityName = 51;

/** The priority class of a workload's pods. The class has no namespace, and its value and policy are immutable. */
export function priorityClass(
  workload: string,
  name: string,
  { value, preempts = "lower" }: GpuPriority,
): PriorityClassArgs {
  return {
    metadata: { name: `eks-gpu-lab-${name}`, labels: workloadLabels(workload, name) },
    value,
    preemptionPolicy: preempts === "never" ? "Never" : "PreemptLowerPriority",
    globalDefault: false,
    description: `Pods of the GPU workload ${name}`,
  };
}
