import * as pulumi from "@pulumi/pulumi";
import { makeReleaseInNamespace } from "../core/helm-release";
import { refuseWithoutProvider } from "../core/kubernetes-provider";
import { childOptions } from "../core/options";
import { resolveArgs, type ValueOf } from "../core/schema";
import { token } from "../core/tokens";
import { nvmlMockChart } from "../core/versions";
import { mockGpus, type MockGpusArgs } from "./mock-gpus-schema";

type Settings = Omit<ValueOf<typeof mockGpus>, "transform">;

/**
 * Mock GPUs on nodes without a GPU: NVIDIA's mock of the NVML library, device files, and a CDI specification. The real GPU
 * Operator, its device plugin and its DCGM exporter run on such nodes; CUDA programs do not.
 *
 * The containerd of the nodes must have CDI enabled and a runtime handler `nvidia`, as docs/laptop.md describes for kind.
 * Install the GPU Operator after it, with {@link mockOperatorSettings}. Pass the cluster's Kubernetes provider in `opts`,
 * or a parent that has it. No test of this library has run it: containers did not run where it was developed.
 *
 * @see https://github.com/NVIDIA/k8s-test-infra/tree/v0.3.0/deployments/nvml-mock/helm/nvml-mock
 * @cost None.
 * @throws InputError with every problem of the arguments, before any resource is created.
 */
export class MockGpus extends pulumi.ComponentResource {
  readonly namespace: pulumi.Output<string>;
  /** Helm's status of the release, e.g. `deployed` or `failed`. */
  readonly status: pulumi.Output<string>;

  constructor(name: string, args: MockGpusArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    const subject = `MockGpus "${name}"`;
    const { transform, ...settings } = resolveArgs(subject, mockGpus, args);
    super(token("MockGpus"), name, settings, opts);
    refuseWithoutProvider(subject, this);
    const options = childOptions(this, opts);

    const { name: releaseName, repository } = nvmlMockChart;
    const chart = { name: releaseName, chart: repository, values: mockValues(settings) };
    const { release } = makeReleaseInNamespace(name, settings, chart, transform, options);

    this.namespace = release.namespace;
    this.status = release.status.status;
    this.registerOutputs({ namespace: this.namespace, status: this.status });
  }
}

/** The values of the chart. The first call of NVML fails, so that a program that starts later sees the failure too. */
function mockValues(settings: Settings) {
  const { profile, gpusPerNode, nodeSelector, failure, chartVersion, imageDigest } = settings;
  const { xid = failure === "ecc_uncorrectable" ? 48 : 79 } = settings;
  const tag = imageDigest === undefined ? chartVersion : `${chartVersion}@${imageDigest}`;
  const injected = { enabled: true, mode: failure ?? "healthy", after_calls: 1, xid: { code: xid } };
  return {
    image: { tag },
    nodeSelector,
    gpu: {
      profile,
      count: gpusPerNode,
      failureInjection: failure === undefined ? { enabled: false } : injected,
    },
  };
}

const driverRoot = { name: "NVIDIA_DRIVER_ROOT", value: "/var/lib/nvml-mock/driver" };
const libraries = { name: "LD_LIBRARY_PATH", value: "/run/nvidia/driver/usr/lib64" };

/**
 * The settings of a GpuOperator on mock GPUs: every part finds the mock driver, CDI gives containers their devices, and
 * nothing runs that needs CUDA or MIG.
 * @see https://github.com/NVIDIA/k8s-test-infra/blob/v0.3.0/tests/e2e/go/assets/gpu-operator-values.yaml
 */
export const mockOperatorSettings = {
  health: "off",
  validatorWorkload: false,
  migStrategy: "none",
  values: {
    cdi: { enabled: true, default: true },
    nodeStatusExporter: { enabled: false },
    devicePlugin: { env: [driverRoot] },
    gfd: { env: [driverRoot] },
    dcgmExporter: { env: [driverRoot] },
    validator: {
      driver: {
        env: [
          { name: "DRIVER_INSTALL_DIR", value: "/run/nvidia/driver" },
          libraries,
          { name: "DISABLE_DEV_CHAR_SYMLINK_CREATION", value: "true" },
        ],
      },
      toolkit: { env: [{ name: "NVIDIA_VISIBLE_DEVICES", value: "all" }] },
      cuda: { env: [{ name: "WITH_WORKLOAD", value: "false" }] },
      plugin: { env: [{ name: "WITH_WORKLOAD", value: "false" }, libraries] },
    },
  },
} as const;
