import type { JobArgs } from "@pulumi/kubernetes/batch/v1/job";
import type { ConfigMapArgs } from "@pulumi/kubernetes/core/v1/configMap";
import type { ServiceArgs } from "@pulumi/kubernetes/core/v1/service";
import * as v from "valibot";
import { quantity } from "../../core/kubernetes-names";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, type GivenOf, type ValueOf } from "../../core/schema";
import { join } from "../../core/reader/paths";
import { transformOf, type Transform } from "../../core/transform";
import { workloadImages } from "../../core/versions";
import { environment, image, runName } from "../shared/container-schema";
import { workloadArgs } from "../shared/workload";

/** Adjusts each underlying resource before it is made. */
export interface NcclTestTransform {
  readonly job?: Transform<JobArgs>;
  readonly service?: Transform<ServiceArgs>;
  readonly script?: Transform<ConfigMapArgs>;
}

/** Variables that configure the pods and the log of NCCL. */
export const ownVariables = [
  ...["NODES", "GPUS_PER_NODE", "JOB_COMPLETION_INDEX", "RENDEZVOUS_HOST", "RENDEZVOUS_PORT", "TIMEOUT_SECONDS"],
  ...["SIZES_MIB", "EXPECT_TRANSPORT", "ATTEMPT", "POD_IP", "HOME", "USER", "PYTHONDONTWRITEBYTECODE"],
  ...["NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG_FILE", "NCCL_SOCKET_IFNAME", "FI_PROVIDER"],
] as const;

const mostSizes = 10;

/** Amounts of data to measure. */
const sizes = v.pipe(
  s.list(s.wholeNumber({ min: 1, max: 4096, unit: "MiB" }), "[1, 64]"),
  s.check((got: readonly number[], path) => {
    if (got.length >= 1 && got.length <= mostSizes) return [];
    const why = `Must have 1 to ${mostSizes} numbers.`;
    return [{ code: "out-of-range", path, got, why, fix: `set ${path} to a list such as [1, 64]` }];
  }),
);

const test = s.section({
  ...workloadArgs.entries,
  /** Nodes that take part, with one pod each: 2 to 64. @default 2 - the fewest that use the network */
  nodes: s.optional(s.wholeNumber({ min: 2, max: 64 }), 2),
  /** Whole GPUs of each node: 1 to 16. @default 1 - a g5.xlarge has one */
  gpusPerNode: s.optional(s.wholeNumber({ min: 1, max: 16 }), 1),
  /**
   * The transport between the nodes. Where EFA does not work, NCCL silently falls back to TCP; the test then fails and
   * reports it.
   *
   * @default "tcp" - a g5.xlarge has no EFA; with "efa" set an `image` with Amazon's NCCL plugin
   */
  expectTransport: s.optional(s.oneOf(["tcp", "efa"]), "tcp"),
  /**
   * EFA devices of each pod, 0 to 32; needs the EFA device plugin in the cluster, which `gpuNodes.efa` of a
   * GpuEnvironment installs. Each pod also requests 5 GiB of huge pages of 2 MiB.
   *
   * @default none - 1 with `expectTransport: "efa"`, else 0
   */
  efaDevices: s.optional(s.wholeNumber({ min: 0, max: 32 })),
  /**
   * Seconds from the start of a pod to its report, 30 to 3600. If a stage hangs, the pod ends at this time with a
   * report that names the stage.
   *
   * @default 300 - PyTorch loads within a minute, and the test takes seconds
   */
  timeoutSeconds: s.optional(s.wholeNumber({ min: 30, max: 3600, unit: "seconds" }), 300),
  /**
   * Seconds before that in which the pods find their nodes and pull the image, 0 to 7200. When both have passed,
   * Kubernetes ends the Job and deletes its pods.
   *
   * @default 900 - a new GPU node takes four minutes, the image of about 4 GB two more
   */
  pendingSeconds: s.optional(s.wholeNumber({ min: 0, max: 7200, unit: "seconds" }), 900),
  /**
   * Names this run. A new name replaces the Job, so that `pulumi up` runs the test again. 1 to 200 characters.
   * @default "baseline" - the run before any change
   */
  attempt: s.optional(runName(), "baseline"),
  /**
   * Image with Python 3, PyTorch and its NCCL, by exact tag or digest.
   * @default "docker.io/pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime@sha256:417bd75df6365104c283ea4c1651fb3530d9eb5a4c2fafa51943cff2a94e6385" - the image of PyTorch, amd64, without EFA
   */
  image: s.optional(image(), workloadImages.pytorch),
  /** Amounts of data to measure, in MiB: 1 to 10 of them, each 1 to 4096. @default [1, 8, 64, 256] - latency to bandwidth */
  sizesMiB: s.optional(sizes, [1, 8, 64, 256]),
  /** Memory request and limit of each pod. @default "6Gi" - PyTorch with its GPU libraries needs 3 to 4 */
  memory: s.optional(quantity("memory"), "6Gi"),
  /**
   * Environment variables, such as `NCCL_ALGO`. The test itself sets NCCL's log and network interface.
   * @default {} - none
   */
  env: s.optional(environment(ownVariables), {}),
  /** Adjusts an underlying resource. @default none - none is adjusted */
  transform: s.optional(transformOf<NcclTestTransform>({ job: true, service: true, script: true })),
});

/** Arguments of a NcclTest. */
export const ncclTest = v.pipe(test, s.check(transportConflicts));

export interface NcclTestArgs extends Readonly<GivenOf<typeof ncclTest>> {}

export const ncclTestDefaults = defaultsOf(test);

function transportConflicts({ expectTransport, efaDevices, image }: ValueOf<typeof test>, at: string): Problem[] {
  const path = join(at, "expectTransport");
  const problems: Problem[] = [];
  if (expectTransport === "efa" && image === ncclTestDefaults.image) {
    const why = "The default image has no NCCL plugin for EFA, and NCCL would fall back to TCP.";
    const fix = `set ${join(at, "image")} to one with PyTorch and aws-ofi-nccl, such as an AWS Deep Learning Container`;
    problems.push({ code: "conflict", path, got: expectTransport, why, fix });
  }
  if (efaDevices === undefined || (expectTransport === "efa") === efaDevices > 0) return problems;
  const devices = join(at, "efaDevices");
  const why =
    expectTransport === "efa"
      ? "EFA needs at least one device."
      : "With a device and its plugin, NCCL would use EFA instead of TCP.";
  const fix = `set ${path} to "${expectTransport === "efa" ? "tcp" : "efa"}", or remove ${devices}`;
  return [...problems, { code: "conflict", path: devices, got: efaDevices, why, fix }];
}

/** Every problem in the arguments of a NcclTest. `at` is the prefix of the paths. */
export function ncclTestProblems(args: NcclTestArgs, at = ""): readonly Problem[] {
  return problemsIn(ncclTest, args, at);
}
