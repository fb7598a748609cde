import * as pulumi from "@pulumi/pulumi";
import { PriorityClass, type PriorityClassArgs } from "@pulumi/kubernetes/scheduling/v1/priorityClass";
import { s, type GivenOf } from "../../core/schema";
import { transformed, type Transform } from "../../core/transform";
import { workloadLabels } from "./workload";

/**
 * The rank of pods while there are not enough GPUs. Kubernetes reserves greater values.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/
 */
export const priority = s.section({
  /** Pods with a greater value go first: -1000000000 to 1000000000. Pods without a class have 0. */
  value: s.wholeNumber({ min: -1_000_000_000, max: 1_000_000_000 }),
  /**
   * Whether a pod that finds no GPU may evict pods of a smaller value: `lower`, or `never`.
   * @default "lower" - the default of Kubernetes; with "never" the pod is only scheduled earlier
   */
  preempts: s.optional(s.oneOf(["lower", "never"])),
});

/** The rank of pods while there are not enough GPUs. */
export interface GpuPriority extends Readonly<GivenOf<typeof priority>> {}

/**
 * Creates the priority class of a workload's pods. Value and policy of a class are immutable, so they are part of its
 * name: for another value Pulumi creates a new class, updates the object that uses it, and deletes the old class. Pods
 * keep the priority with which they were created.
 */
export function makePriorityClass(
  workload: string,
  name: string,
  priority: GpuPriority,
  transform: Transform<PriorityClassArgs> | undefined,
  options: pulumi.CustomResourceOptions,
): PriorityClass {
  const manifest = priorityClass(workload, name, priority);
  return new PriorityClass(...transformed(namedByValue(name, transform), `${name}-priority`, manifest, options));
}

function priorityClass(workload: string, name: string, { value, preempts = "lower" }: GpuPriority): PriorityClassArgs {
  return {
    metadata: { labels: workloadLabels(workload, name) },
    value,
    preemptionPolicy: preempts === "never" ? "Never" : "PreemptLowerPriority",
    globalDefault: false,
    description: `Pods of the GPU workload ${name}`,
  };
}

/** Sets the name after the transform, which may set another value: `eks-gpu-lab-inference-1000`. */
function namedByValue(name: string, own: Transform<PriorityClassArgs> | undefined): Transform<PriorityClassArgs> {
  return (args, opts, logicalName) => {
    if (typeof own === "function") own(args, opts, logicalName);
    else Object.assign(args, own);
    const { metadata, value, preemptionPolicy } = args;
    args.metadata = pulumi.all([metadata, value, preemptionPolicy]).apply(([given, number, policy]) => {
      const rank = `${number}`.replace("-", "minus-");
      return { name: `eks-gpu-lab-${name}-${rank}${policy === "Never" ? "-never" : ""}`, ...given };
    });
  };
}
