import type { NamespaceArgs } from "@pulumi/kubernetes/core/v1/namespace";
import type { ReleaseArgs } from "@pulumi/kubernetes/helm/v3/release";
import { chartVersion, installTimeout } from "../core/helm-chart";
import { labels, newNamespace } from "../core/kubernetes-names";
import type { Problem } from "../core/problems";
import { s, defaultsOf, problemsIn, type GivenOf } from "../core/schema";
import { transformOf, type Transform } from "../core/transform";
import { nvmlMockChart } from "../core/versions";

/**
 * The GPU models that the chart knows.
 * @see https://github.com/NVIDIA/k8s-test-infra/tree/v0.3.0/deployments/nvml-mock/helm/nvml-mock/profiles
 */
const profiles = ["a100", "b200", "gb200", "gb300", "h100", "l40s", "t4"] as const;

/** How mock GPUs fail; see {@link mockGpus}. */
export const mockFailures = ["lost", "fallen_off_bus", "ecc_uncorrectable"] as const;

/** Adjusts each underlying resource before it is created. */
export interface MockGpusTransform {
  readonly namespace?: Transform<NamespaceArgs>;
  readonly release?: Transform<ReleaseArgs>;
}

/** Arguments of MockGpus. */
export const mockGpus = s.section({
  /** GPU model that the nodes have. @default "t4" - it has no NVLink and no InfiniBand to imitate */
  profile: s.optional(s.oneOf(profiles), "t4"),
  /** Number of GPUs of each node, 1 to 8; a t4 node has at most 4. @default 1 - like a g5.xlarge */
  gpusPerNode: s.optional(s.wholeNumber({ min: 1, max: 8, unit: "GPUs" }), 1),
  /** Labels of the nodes that get GPUs. @default { tier: "gpu" } - like the GPU nodes of the labs on AWS */
  nodeSelector: s.optional(labels('{ tier: "gpu" }'), { tier: "gpu" }),
  /**
   * How the GPUs fail: `lost` and `fallen_off_bus` make NVML return an error for the GPU; with `ecc_uncorrectable` the GPU
   * stays usable and counts uncorrectable errors.
   * @default none - the GPUs are healthy
   */
  failure: s.optional(s.oneOf(mockFailures)),
  /**
   * Code of the Xid event that a failing GPU reports, 1 to 1023. It has no effect without `failure`.
   * @default none - 48 (double-bit error) with `ecc_uncorrectable`, 79 (fallen off the bus) otherwise
   */
  xid: s.optional(s.wholeNumber({ min: 1, max: 1023 })),
  /** One exact version of the chart. @default the pinned version - a mock must not change between two drills */
  chartVersion: s.optional(chartVersion(nvmlMockChart), nvmlMockChart.version),
  /**
   * Digest of the image, `sha256:` and 64 hexadecimal digits. `docker buildx imagetools inspect
   * ghcr.io/nvidia/nvml-mock:0.3.0` prints it.
   * @default none - the tag of the chart's version: no public source with the digest was found
   */
  imageDigest: s.optional(
    s.matching(/^sha256:[0-9a-f]{64}$/, "a digest", "set {path} to sha256: and 64 hexadecimal digits"),
  ),
  /** Namespace that the component creates. @default "nvml-mock" - as in NVIDIA's documentation */
  namespace: s.optional(newNamespace("nvml-mock"), "nvml-mock"),
  /** How long Helm waits for the pods, in seconds: 60 to 3600. @default 600 - the image is about 1 GB */
  timeoutSeconds: s.optional(installTimeout(), 600),
  /** Adjusts the underlying resources. @default none - none is adjusted */
  transform: s.optional(transformOf<MockGpusTransform>({ namespace: true, release: true })),
});

export interface MockGpusArgs extends Readonly<GivenOf<typeof mockGpus>> {}

export const mockGpusDefaults = defaultsOf(mockGpus);

/** Every problem in the arguments of MockGpus. `at` is the prefix of the paths. */
export function mockGpusProblems(args: MockGpusArgs, at = ""): readonly Problem[] {
  return problemsIn(mockGpus, args, at);
}
