import { ComponentResource } from "@pulumi/pulumi";
import { Provider } from "@pulumi/kubernetes/provider";
import { describe, expect, test } from "vitest";
import { gpuOperatorChart, kubernetesVersion } from "../../../../components/core/versions";
import { GpuOperator } from "../../../../components/gpu/operator/gpu-operator";
import { gpuOperatorDefaults, type GpuOperatorArgs } from "../../../../components/gpu/operator/gpu-operator-schema";
import { operatorValues } from "../../../../components/gpu/operator/operator-values";
import { byName, only, plan } from "../../../support/plan";

const releaseType = "kubernetes:helm.sh/v3:Release";
const namespaceType = "kubernetes:core/v1:Namespace";
const operatorType = "eks-gpu-lab:index:GpuOperator";
const privileged = {
  "pod-security.kubernetes.io/audit": "privileged",
  "pod-security.kubernetes.io/enforce": "privileged",
  "pod-security.kubernetes.io/warn": "privileged",
};

/** What a GpuOperator with these arguments registers, with the cluster and the provider. */
function planned(args: Partial<GpuOperatorArgs> = {}) {
  return plan(() => {
    const provider = new Provider("cluster", { kubeconfig: "{}" });
    new GpuOperator("gpu-operator", { kubernetesVersion, ...args }, { provider });
  });
}

const releaseOf = async (args: Partial<GpuOperatorArgs>) => only(await planned(args), releaseType).inputs;

describe("by default", () => {
  test("the Release is exactly this", async () => {
    expect(await releaseOf({})).toEqual({
      name: "gpu-operator",
      chart: "gpu-operator",
      repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" },
      version: gpuOperatorChart.version,
      namespace: "gpu-operator",
      createNamespace: false,
      values: operatorValues(gpuOperatorDefaults),
      timeout: 900,
      skipAwait: false,
      atomic: false,
      cleanupOnFail: false,
      disableOpenapiValidation: true,
      compat: "true",
    });
  });

  test("the namespace is labelled privileged", async () => {
    expect(only(await planned(), namespaceType).inputs).toEqual({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "gpu-operator", labels: privileged },
    });
  });

  test("both are children of the component, in order and at the cluster's provider", async () => {
    const recording = await planned();
    const operator = only(recording, operatorType);
    const namespace = byName(recording, "gpu-operator-namespace");
    const release = only(recording, releaseType);
    const provider = only(recording, "pulumi:providers:kubernetes");
    for (const child of [namespace, release]) {
      expect(child.parent).toBe(operator.urn);
      expect(child.provider).toContain(provider.urn);
      expect(child.options.deletedWith).toBeUndefined();
    }
    expect(release.name).toBe("gpu-operator");
    expect(release.propertyDependencies["namespace"]).toEqual([namespace.urn]);
  });

  test("the engine, and so the policies, see the arguments with their defaults", async () => {
    expect(only(await planned(), operatorType).inputs).toEqual({
      kubernetesVersion,
      chartVersion: gpuOperatorChart.version,
      namespace: "gpu-operator",
      repository: "https://helm.ngc.nvidia.com/nvidia",
      devicePlugin: true,
      dcgmExporter: true,
      serviceMonitor: false,
      validatorWorkload: true,
      migCapable: false,
      taints: [],
      health: "node-monitor",
      controllerNodeSelector: {},
      timeoutSeconds: 900,
    });
  });
});

describe("what the arguments change", () => {
  test("a version without its v is installed with it, and stays as written for the policies", async () => {
    const recording = await planned({ chartVersion: gpuOperatorChart.version.slice(1) });
    expect(only(recording, releaseType).inputs["version"]).toBe(gpuOperatorChart.version);
    expect(only(recording, operatorType).inputs["chartVersion"]).toBe(gpuOperatorChart.version.slice(1));
  });

  test("namespace and timeout", async () => {
    const recording = await planned({ namespace: "nvidia", timeoutSeconds: 1800 });
    expect(only(recording, namespaceType).inputs["metadata"]).toEqual({ name: "nvidia", labels: privileged });
    expect(only(recording, releaseType).inputs).toMatchObject({
      namespace: "nvidia",
      timeout: 1800,
      name: "gpu-operator",
    });
  });

  test.each([
    [
      "https://charts.example.com/nvidia/",
      { chart: "gpu-operator", repositoryOpts: { repo: "https://charts.example.com/nvidia" } },
    ],
    ["oci://registry.example.com/charts/", { chart: "oci://registry.example.com/charts/gpu-operator" }],
    ["oci://registry.example.com/gpu-operator", { chart: "oci://registry.example.com/gpu-operator" }],
  ])("the repository %s", async (repository, source) => {
    const { chart, repositoryOpts } = await releaseOf({ repository });
    expect({ chart, ...(repositoryOpts !== undefined && { repositoryOpts }) }).toEqual(source);
  });

  test("settings of the chart reach its values", async () => {
    const settings = {
      taints: [{ key: "reserved", effect: "NO_SCHEDULE" }],
      timeSlicing: { replicas: 4 },
      health: "operator",
      values: { gfd: { enabled: false } },
    } as const;
    expect(await releaseOf(settings)).toMatchObject({
      values: operatorValues({ ...gpuOperatorDefaults, ...settings }),
    });
    expect(await releaseOf(settings)).toMatchObject({ values: { dcgm: { enabled: true }, gfd: { enabled: false } } });
  });

  test("transform adjusts either resource and never reaches the engine", async () => {
    const recording = await planned({
      transform: {
        release: { version: "v26.11.0", timeout: 60 },
        namespace: (args) => void (args.metadata = { name: "other" }),
      },
    });
    expect(only(recording, releaseType).inputs).toMatchObject({ version: "v26.11.0", timeout: 60, namespace: "other" });
    expect(only(recording, operatorType).inputs).not.toHaveProperty("transform");
  });
});

describe("order", () => {
  class Other extends ComponentResource {
    constructor(name: string) {
      super("test:index:Other", name, {});
    }
  }

  test("both children go with the cluster, and wait for what the component waits for", async () => {
    const recording = await plan(() => {
      const cluster = new Other("cluster");
      const nodes = new Provider("nodes", {});
      const provider = new Provider("k8s", {});
      new GpuOperator("gpu", { kubernetesVersion, cluster }, { provider, dependsOn: [nodes] });
    });
    const { urn: cluster } = byName(recording, "cluster");
    const { urn: nodes } = byName(recording, "nodes");
    for (const child of [only(recording, namespaceType), only(recording, releaseType)]) {
      expect(child.options.deletedWith).toBe(cluster);
      expect(child.dependencies).toContain(nodes);
    }
    expect(byName(recording, "gpu-namespace").type).toBe(namespaceType);
    expect(only(recording, operatorType).inputs).not.toHaveProperty("cluster");
  });
});

test("outputs", async () => {
  let operator: GpuOperator | undefined;
  const recording = await plan(() => {
    operator = new GpuOperator("gpu", { kubernetesVersion }, { provider: new Provider("k8s", {}) });
    return {
      releaseName: operator.releaseName,
      namespace: operator.namespace,
      chartVersion: operator.chartVersion,
      status: operator.status,
    };
  });
  expect(recording.outputs).toMatchObject({
    releaseName: "gpu-operator",
    namespace: "gpu-operator",
    chartVersion: gpuOperatorChart.version,
  });
  expect(recording.outputs).toHaveProperty("status");
});

describe("the Kubernetes provider", () => {
  const args = { kubernetesVersion };
  class Stage extends ComponentResource {
    constructor(provider: Provider) {
      super("test:index:Stage", "stage", {}, { providers: { kubernetes: provider } });
    }
  }
  const cluster = () => new Provider("cluster", { kubeconfig: "{}" });

  test.for([
    ["of its own", () => void new GpuOperator("gpu", args, { provider: cluster() })],
    ["in a list", () => void new GpuOperator("gpu", args, { providers: [cluster()] })],
    ["by package", () => void new GpuOperator("gpu", args, { providers: { kubernetes: cluster() } })],
    ["of its parent", () => void new GpuOperator("gpu", args, { parent: new Stage(cluster()) })],
  ] as [string, () => void][])("%s installs the chart", async ([, program]) => {
    const recording = await plan(program);
    for (const type of [namespaceType, releaseType]) {
      expect(only(recording, type).provider).toContain("pulumi:providers:kubernetes::cluster::");
    }
  });

  test("none is refused: the chart would go into the cluster of the local kubeconfig", async () => {
    await expect(plan(() => void new GpuOperator("gpu", args))).rejects.toThrow(
      /^1 problem with GpuOperator "gpu":\n {2}provider: The component has no Kubernetes provider/,
    );
  });
});
