import type { CronJobArgs } from "@pulumi/kubernetes/batch/v1/cronJob";
import type { PodArgs } from "@pulumi/kubernetes/core/v1/pod";
import type { PriorityClassArgs } from "@pulumi/kubernetes/scheduling/v1/priorityClass";
import * as v from "valibot";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, type GivenOf, type ValueOf } from "../../core/schema";
import { join } from "../../core/reader/paths";
import { transformOf, type Transform } from "../../core/transform";
import { workloadImages } from "../../core/versions";
import { image } from "../shared/container-schema";
import { workloadArgs } from "../shared/workload";
import { cronSchedule } from "./cron-schedule";

/** Adjusts resources before they are made: the pod, or with a schedule the CronJob and the class of its pods. */
export interface GpuProbeTransform {
  readonly pod?: Transform<PodArgs>;
  readonly cronJob?: Transform<CronJobArgs>;
  readonly priorityClass?: Transform<PriorityClassArgs>;
}

const probe = s.section({
  ...workloadArgs.entries,
  /**
   * `once` prints the GPUs with their driver and memory, and ends. `stay` prints the table of nvidia-smi and holds the
   * GPUs until you delete it, so that you can watch a pod whose GPU fails.
   *
   * @default "once" - the probe releases its GPU for the next pod
   */
  mode: s.optional(s.oneOf(["once", "stay"]), "once"),
  /** Whole GPUs of the pod, all on one node: 1 to 16. @default 1 - a g5.xlarge has one */
  gpus: s.optional(s.wholeNumber({ min: 1, max: 16 }), 1),
  /**
   * Image with a shell, by exact tag or digest. nvidia-smi comes from the node.
   *
   * @default "docker.io/nvidia/cuda:12.4.1-base-ubuntu22.04@sha256:0f6bfcbf267e65123bcc2287e2153dedfc0f24772fb5ce84afe16ac4b2fada95" - a small image that every driver of the node images
   *   supports. For CUDA 13 set "docker.io/nvidia/cuda:13.0.2-runtime-ubuntu22.04"
   */
  image: s.optional(image(), workloadImages.cuda),
  /**
   * When to request a GPU repeatedly: minute, hour, day of the month, month and day of the week in UTC, as a CronJob
   * reads them; `* * * * *` is every minute. Only one pod at a time: while it waits for its GPU, no other starts.
   *
   * @default none - one pod, which requests a GPU once
   */
  schedule: s.optional(cronSchedule()),
  /** Adjusts an underlying resource. @default none - none is adjusted */
  transform: s.optional(transformOf<GpuProbeTransform>({ pod: true, cronJob: true, priorityClass: true })),
});

/** Arguments of a GpuProbe. */
export const gpuProbe = v.pipe(probe, s.check(scheduleConflicts));

export interface GpuProbeArgs extends Readonly<GivenOf<typeof gpuProbe>> {}

export const gpuProbeDefaults = defaultsOf(probe);

/** A probe with a schedule must end each time, and the CronJob itself never ends. */
function scheduleConflicts({ schedule, mode, wait }: ValueOf<typeof probe>, at: string): Problem[] {
  if (schedule === undefined) return [];
  const conflict = (key: string, got: unknown, why: string): Problem => {
    const path = join(at, key);
    return { code: "conflict", path, got, why, fix: `remove ${path} or ${join(at, "schedule")}` };
  };
  const keepsGpu = "The first probe would keep its GPU, and no other would start.";
  return [
    ...(mode === "stay" ? [conflict("mode", mode, keepsGpu)] : []),
    ...(wait ? [conflict("wait", wait, "A CronJob never completes, so Pulumi cannot wait for it.")] : []),
  ];
}

/** Every problem in the arguments of a GpuProbe. `at` is the prefix of the paths. */
export function gpuProbeProblems(args: GpuProbeArgs, at = ""): readonly Problem[] {
  return problemsIn(gpuProbe, args, at);
}
