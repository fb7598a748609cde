import type { PodArgs } from "@pulumi/kubernetes/core/v1/pod";
import { isPlainObject, join, keysOf, noObject, oneOf, onlyKeys, wholeNumber } from "../../core/checks";
import { withDefaults } from "../../core/defaults";
import type { Problem } from "../../core/problems";
import { transformProblems, type Transform } from "../../core/transform";
import { workloadImages } from "../../core/versions";
import { imageProblems } from "../shared/images";
import { freeTextProblems } from "../shared/names";
import { workloadDefaults, workloadKeys, workloadProblems, type WorkloadArgs } from "../shared/workload";

export interface GpuProbeArgs extends WorkloadArgs {
  /**
   * `once` prints the GPUs with their driver and memory, and is done. `stay` prints the table of nvidia-smi and then
   * holds the GPUs until it is deleted, so that one can watch what becomes of a pod whose GPU breaks.
   * @default "once" - it frees its GPU for the next
   */
  readonly mode?: "once" | "stay";
  /**
   * Whole GPUs that the pod is given, all on one node: 1 to 16.
   * @default 1 - a g5.xlarge has one
   */
  readonly gpus?: number;
  /**
   * Image with a shell, by exact tag or digest. nvidia-smi comes from the node.
   * @default "nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04" - small, and any driver of the node images runs it. For
   *   CUDA 13 state "docker.io/nvidia/cuda:13.0.2-runtime-ubuntu22.04"
   */
  readonly image?: string;
  /**
   * Names this run of the probe. Another text makes a new pod in place of the old one: a probe that is done, or was
   * given no GPU in time, runs again by `pulumi up` alone. 1 to 200 characters.
   * @default "baseline" - the run before anything was changed
   */
  readonly attempt?: string;
  /** Adjusts the underlying resource. @default none - it is made as described */
  readonly transform?: GpuProbeTransform;
}

/** Adjusts the pod before it is made. */
export interface GpuProbeTransform {
  readonly pod?: Transform<PodArgs>;
}

export const gpuProbeDefaults = {
  ...workloadDefaults,
  mode: "once",
  gpus: 1,
  image: workloadImages.cuda,
  attempt: "baseline",
} as const;

const gpuProbeKeys = keysOf<GpuProbeArgs>({
  ...workloadKeys,
  mode: true,
  gpus: true,
  image: true,
  attempt: true,
  transform: true,
});

/** Everything that is wrong with the arguments of a GpuProbe. `at` leads the paths. */
export function gpuProbeProblems(args: GpuProbeArgs, at = ""): Problem[] {
  if (!isPlainObject(args)) return noObject(at, args);
  const given: Readonly<Record<string, unknown>> = withDefaults(args, gpuProbeDefaults);
  return [
    ...onlyKeys(at, args, gpuProbeKeys),
    ...workloadProblems(given, at),
    ...oneOf(join(at, "mode"), given["mode"], ["once", "stay"]),
    ...wholeNumber(join(at, "gpus"), given["gpus"], { min: 1, max: 16 }),
    ...imageProblems(join(at, "image"), given["image"]),
    ...freeTextProblems(join(at, "attempt"), given["attempt"]),
    ...transformProblems(join(at, "transform"), args.transform, keysOf<GpuProbeTransform>({ pod: true })),
  ];
}
