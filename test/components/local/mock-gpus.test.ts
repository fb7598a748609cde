import { Provider } from "@pulumi/kubernetes/provider";
import { describe, expect, test } from "vitest";
import { GpuOperator, gpuOperatorProblems } from "../../../components";
import { MockGpus, mockOperatorSettings } from "../../../components/local/mock-gpus";
import { mockGpusProblems, type MockGpusArgs } from "../../../components/local/mock-gpus-schema";
import { only, plan } from "../../support/plan";
import { testProblems } from "../../support/problems";

const releaseType = "kubernetes:helm.sh/v3:Release";
const releaseOf = async (args: MockGpusArgs = {}) =>
  only(
    await plan(() => {
      new MockGpus("lab", args, { provider: new Provider("cluster", { context: "kind-lab" }) });
    }),
    releaseType,
  ).inputs;
const digest = `sha256:${"0".repeat(64)}`;

test("by default one healthy T4 on each node of the labs, from a pinned chart and image", async () => {
  expect(await releaseOf()).toMatchObject({
    chart: "oci://ghcr.io/nvidia/k8s-test-infra/chart/nvml-mock",
    version: "0.3.0",
    values: {
      image: { tag: "0.3.0" },
      nodeSelector: { tier: "gpu" },
      gpu: { profile: "t4", count: 1, failureInjection: { enabled: false } },
    },
  });
});

test.each([
  [{ failure: "ecc_uncorrectable" }, { enabled: true, mode: "ecc_uncorrectable", xid: { code: 48 } }],
  [{ failure: "fallen_off_bus" }, { enabled: true, mode: "fallen_off_bus", xid: { code: 79 } }],
  [
    { failure: "lost", xid: 31 },
    { enabled: true, mode: "lost", xid: { code: 31 } },
  ],
] as const)("%j injects the failure with its Xid", async (args, expected) => {
  expect(await releaseOf(args)).toMatchObject({ values: { gpu: { failureInjection: expected } } });
});

test("a digest pins the image", async () => {
  expect(await releaseOf({ imageDigest: digest })).toMatchObject({ values: { image: { tag: `0.3.0@${digest}` } } });
});

test("the GPU Operator accepts its settings for mock GPUs", async () => {
  const args = { kubernetesVersion: "1.35", ...mockOperatorSettings };
  expect(gpuOperatorProblems(args)).toEqual([]);
  const release = only(
    await plan(() => {
      new GpuOperator("operator", args, { provider: new Provider("cluster", { context: "kind-lab" }) });
    }),
    releaseType,
  );
  expect(release.inputs).toMatchObject({
    values: {
      driver: { enabled: false },
      toolkit: { enabled: false },
      mig: { strategy: "none" },
      migManager: { enabled: false },
      cdi: { enabled: true, default: true },
      dcgm: { enabled: false },
      devicePlugin: { enabled: true, env: [{ name: "NVIDIA_DRIVER_ROOT", value: "/var/lib/nvml-mock/driver" }] },
    },
  });
});

describe("wrong arguments", () => {
  testProblems(mockGpusProblems, [
    [{ profile: "a10g" }, "not-allowed profile"],
    [{ gpusPerNode: 9 }, "out-of-range gpusPerNode"],
    [{ failure: "healthy" }, "not-allowed failure"],
    [{ xid: 0 }, "out-of-range xid"],
    [{ chartVersion: "latest" }, "version chartVersion"],
    [{ imageDigest: "latest" }, "not-allowed imageDigest"],
  ]);
});
