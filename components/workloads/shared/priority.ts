import type { PriorityClassArgs } from "@pulumi/kubernetes/scheduling/v1/priorityClass";
import { workloadLabels } from "./workload";

/** Where pods stand when there is no GPU for all that want one. */
export interface GpuPriority {
  /** Pods with a greater value go first: -1000000000 to 1000000000; 0 is what pods have without a class. */
  readonly value: number;
  /**
   * Whether a pod that finds no GPU may end others of smaller value to get theirs.
   * @default "lower" - the default of Kubernetes; "never" only goes ahead in the queue
   */
  readonly preempts?: "lower" | "never";
}

/** `eks-gpu-lab-` leads the name of the class, and no object's label is longer than 63 characters. */
export const longestRankedName = 51;

/** The class of a workload's pods. It belongs to the cluster; its value and its policy can never change. */
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
