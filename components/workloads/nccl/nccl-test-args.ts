import type { JobArgs } from "@pulumi/kubernetes/batch/v1/job";
import type { ConfigMapArgs } from "@pulumi/kubernetes/core/v1/configMap";
import type { ServiceArgs } from "@pulumi/kubernetes/core/v1/service";
import { isPlainObject, join, keysOf, noObject, oneOf, onlyKeys, wholeNumber } from "../../core/checks";
import { withDefaults } from "../../core/defaults";
import type { Problem } from "../../core/problems";
import { transformProblems, type Transform } from "../../core/transform";
import { workloadImages } from "../../core/versions";
import { amountProblems, envProblems } from "../shared/amounts";
import { imageProblems } from "../shared/images";
import { freeTextProblems } from "../shared/names";
import { workloadDefaults, workloadKeys, workloadProblems, type WorkloadArgs } from "../shared/workload";

export interface NcclTestArgs extends WorkloadArgs {
  /** Nodes that take part, with one pod each: 2 to 64. @default 2 - the fewest that talk over the network */
  readonly nodes?: number;
  /** Whole GPUs of each node: 1 to 16. @default 1 - a g5.xlarge has one */
  readonly gpusPerNode?: number;
  /**
   * What must carry the data between the nodes. NCCL falls back to TCP without a word where EFA does not work; the
   * test then fails, and says so.
   * @default "tcp" - a g5.xlarge has no EFA; under "efa" state an `image` with Amazon's plugin for NCCL
   */
  readonly expectTransport?: "tcp" | "efa";
  /**
   * EFA devices of each pod, 0 to 32; needs the EFA device plugin in the cluster.
   * @default none - 1 under `expectTransport: "efa"`, else 0
   */
  readonly efaDevices?: number;
  /**
   * Seconds that a pod may take from its start to its report, 30 to 3600. A stage that hangs ends the pod then, with a
   * report that names it.
   * @default 300 - PyTorch loads in a minute at worst, and the test itself takes seconds
   */
  readonly timeoutSeconds?: number;
  /**
   * Seconds that the pods may take beforehand to find their nodes and to pull the image, 0 to 7200. When these are over
   * too, Kubernetes ends the Job and deletes its pods.
   * @default 900 - a new GPU node takes four minutes, the image of some 4 GB two more
   */
  readonly pendingSeconds?: number;
  /**
   * Names this run. Another text makes a new Job in place of the old one, so that the test runs again by `pulumi up`
   * alone. 1 to 200 characters.
   * @default "baseline" - the run before anything was changed
   */
  readonly attempt?: string;
  /**
   * Image with Python 3, PyTorch and its NCCL, by exact tag or digest.
   * @default "docker.io/pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime@sha256:417bd75df6365104c283ea4c1651fb3530d9eb5a4c2fafa51943cff2a94e6385" - PyTorch's own, amd64, without EFA
   */
  readonly image?: string;
  /** Amounts of data to measure, in MiB: 1 to 10 of them, each 1 to 4096. @default [1, 8, 64, 256] - latency to bandwidth */
  readonly sizesMiB?: readonly number[];
  /** Memory kept for each pod, as Kubernetes writes amounts. @default "6Gi" - PyTorch with its GPU libraries takes 3 to 4 */
  readonly memory?: string;
  /**
   * Environment variables, such as `NCCL_ALGO`. NCCL's log and its interface are the test's own.
   * @default {} - none
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Adjusts the underlying resources. @default none - they are made as described */
  readonly transform?: NcclTestTransform;
}

/** Adjusts each underlying resource before it is made. */
export interface NcclTestTransform {
  readonly job?: Transform<JobArgs>;
  readonly service?: Transform<ServiceArgs>;
  readonly script?: Transform<ConfigMapArgs>;
}

export const ncclTestDefaults = {
  ...workloadDefaults,
  nodes: 2,
  gpusPerNode: 1,
  expectTransport: "tcp",
  timeoutSeconds: 300,
  pendingSeconds: 900,
  attempt: "baseline",
  image: workloadImages.pytorch,
  sizesMiB: [1, 8, 64, 256],
  memory: "6Gi",
  env: {},
} as const;

const ncclTestKeys = keysOf<NcclTestArgs>({
  ...workloadKeys,
  nodes: true,
  gpusPerNode: true,
  expectTransport: true,
  efaDevices: true,
  timeoutSeconds: true,
  pendingSeconds: true,
  attempt: true,
  image: true,
  sizesMiB: true,
  memory: true,
  env: true,
  transform: true,
});

const transformKeys = keysOf<NcclTestTransform>({ job: true, service: true, script: true });

/** Variables by which the test tells its pods what to do, and NCCL what to log. */
export const ownVariables = [
  ...["NODES", "GPUS_PER_NODE", "JOB_COMPLETION_INDEX", "RENDEZVOUS_HOST", "RENDEZVOUS_PORT", "TIMEOUT_SECONDS"],
  ...["SIZES_MIB", "EXPECT_TRANSPORT", "ATTEMPT", "POD_IP", "HOME", "USER", "PYTHONDONTWRITEBYTECODE"],
  ...["NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG_FILE", "NCCL_SOCKET_IFNAME", "FI_PROVIDER"],
] as const;

type Given = Readonly<Record<string, unknown>>;

/** Everything that is wrong with the arguments of a NcclTest. `at` leads the paths. */
export function ncclTestProblems(args: NcclTestArgs, at = ""): Problem[] {
  if (!isPlainObject(args)) return noObject(at, args);
  const given: Given = withDefaults(args, ncclTestDefaults);
  const whole = (key: string, min: number, max: number, unit?: string) =>
    wholeNumber(join(at, key), given[key], { min, max, ...(unit !== undefined && { unit }) });
  return [
    ...onlyKeys(at, args, ncclTestKeys),
    ...workloadProblems(given, at),
    ...whole("nodes", 2, 64),
    ...whole("gpusPerNode", 1, 16),
    ...whole("timeoutSeconds", 30, 3600, "seconds"),
    ...whole("pendingSeconds", 0, 7200, "seconds"),
    ...freeTextProblems(join(at, "attempt"), given["attempt"]),
    ...imageProblems(join(at, "image"), given["image"]),
    ...sizeProblems(join(at, "sizesMiB"), given["sizesMiB"]),
    ...amountProblems(join(at, "memory"), given["memory"], "memory"),
    ...envProblems(join(at, "env"), given["env"], ownVariables),
    ...transportProblems(given, at),
    ...transformProblems(join(at, "transform"), args.transform, transformKeys),
  ];
}

function transportProblems({ expectTransport, efaDevices, image }: Given, at: string): Problem[] {
  const path = join(at, "expectTransport");
  const devices = join(at, "efaDevices");
  const problems = oneOf(path, expectTransport, ["tcp", "efa"]);
  if (efaDevices !== undefined) problems.push(...wholeNumber(devices, efaDevices, { min: 0, max: 32 }));
  if (problems.length > 0) return problems;
  if (expectTransport === "efa" && image === ncclTestDefaults.image) {
    const why = "The default image has no plugin that lets NCCL use EFA: it would fall back to TCP.";
    const fix = `set ${join(at, "image")} to one with PyTorch and aws-ofi-nccl, such as an AWS Deep Learning Container`;
    problems.push({ code: "conflict", path, got: expectTransport, why, fix });
  }
  if ((expectTransport === "efa") === (efaDevices !== 0) || efaDevices === undefined) return problems;
  const why =
    expectTransport === "efa" ? "Without a device there is no EFA." : "NCCL would use the device where its plugin is.";
  const fix = `set ${path} to "${expectTransport === "efa" ? "tcp" : "efa"}", or leave ${devices} out`;
  return [...problems, { code: "conflict", path: devices, got: efaDevices, why, fix }];
}

function sizeProblems(path: string, got: unknown): Problem[] {
  const fix = `set ${path} to a list such as [1, 64]`;
  if (!Array.isArray(got)) return [{ code: "wrong-type", path, got, why: "It must be a list of whole numbers.", fix }];
  if (got.length < 1 || got.length > 10) {
    return [{ code: "out-of-range", path, got, why: "It must have 1 to 10 numbers.", fix }];
  }
  return got.flatMap((size, index) => wholeNumber(`${path}[${index}]`, size, { min: 1, max: 4096, unit: "MiB" }));
}
