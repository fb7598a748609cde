import type { CronJobArgs } from "@pulumi/kubernetes/batch/v1/cronJob";
import type { PodArgs } from "@pulumi/kubernetes/core/v1/pod";
import type { PriorityClassArgs } from "@pulumi/kubernetes/scheduling/v1/priorityClass";
import { isPlainObject, join, keysOf, noObject, oneOf, onlyKeys, wholeNumber } from "../../core/checks";
import { withDefaults } from "../../core/defaults";
import type { Problem } from "../../core/problems";
import { transformProblems, type Transform } from "../../core/transform";
import { workloadImages } from "../../core/versions";
import { imageProblems } from "../shared/images";
import { dnsLabelProblems } from "../shared/names";
import { longestRankedName } from "../shared/priority";
import { workloadDefaults, workloadKeys, workloadProblems, type WorkloadArgs } from "../shared/workload";
import { cronScheduleProblems } from "./cron-schedule";

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
   * When to ask for a GPU again and again: minute, hour, day of the month, month and day of the week in UTC, as a CronJob
   * reads them; `* * * * *` is every minute. Never two at once: a pod that waits for its GPU is the only one until it has
   * been given one.
   * @default none - one pod, which asks once
   */
  readonly schedule?: string;
  /** Adjusts the underlying resources. @default none - they are made as described */
  readonly transform?: GpuProbeTransform;
}

/** Adjusts resources before they are made: the pod, or with a schedule the CronJob and the class of its pods. */
export interface GpuProbeTransform {
  readonly pod?: Transform<PodArgs>;
  readonly cronJob?: Transform<CronJobArgs>;
  readonly priorityClass?: Transform<PriorityClassArgs>;
}

export const gpuProbeDefaults = {
  ...workloadDefaults,
  mode: "once",
  gpus: 1,
  image: workloadImages.cuda,
} as const;

const gpuProbeKeys = keysOf<GpuProbeArgs>({
  ...workloadKeys,
  mode: true,
  gpus: true,
  image: true,
  schedule: true,
  transform: true,
});

const transformKeys = keysOf<GpuProbeTransform>({ pod: true, cronJob: true, priorityClass: true });

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
    ...(given["schedule"] === undefined ? [] : scheduleProblems(given, at)),
    ...transformProblems(join(at, "transform"), args.transform, transformKeys),
  ];
}

/** What comes again and again must end each time, and is never done. */
function scheduleProblems({ schedule, mode, wait }: Readonly<Record<string, unknown>>, at: string): Problem[] {
  const problems = cronScheduleProblems(join(at, "schedule"), schedule);
  const refuse = (key: string, got: unknown, why: string) => {
    const path = join(at, key);
    problems.push({ code: "conflict", path, got, why, fix: `leave ${path} or ${join(at, "schedule")} out` });
  };
  if (mode === "stay")
    refuse("mode", mode, "The first probe of the schedule would keep its GPU, and stay the only one.");
  if (wait === true) refuse("wait", wait, "Probes that come by a schedule are never done.");
  return problems;
}

/** Everything that is wrong with the name of a GpuProbe. */
export function gpuProbeNameProblems(name: string, args: GpuProbeArgs): Problem[] {
  const ranked = isPlainObject(args) && args.schedule !== undefined;
  return dnsLabelProblems("name", name, ...(ranked ? [longestRankedName] : []));
}
