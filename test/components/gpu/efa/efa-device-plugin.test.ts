import { Provider } from "@pulumi/kubernetes/provider";
import { describe, expect, test } from "vitest";
import {
  EfaDevicePlugin,
  efaDevicePluginProblems,
  GpuEnvironment,
  type EfaDevicePluginArgs,
  type GpuEnvironmentArgs,
} from "../../../../components";
import { efaDevicePluginChart } from "../../../../components/core/versions";
import { instanceType, instanceTypeNames } from "../../../../components/nodes/machine/instance-types";
import { only, ofType, plan } from "../../../support/plan";
import { testProblems } from "../../../support/problems";

const release = "kubernetes:helm.sh/v3:Release";
const tolerations = [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }];
const made = (args: EfaDevicePluginArgs = {}) =>
  plan(() => {
    new EfaDevicePlugin("efa", args, { provider: new Provider("cluster", { kubeconfig: "{}" }) });
  });

test("the pinned chart of AWS runs in kube-system and tolerates the taint of GPU nodes", async () => {
  expect(only(await made(), release).inputs).toMatchObject({
    name: "aws-efa-k8s-device-plugin",
    chart: "aws-efa-k8s-device-plugin",
    version: efaDevicePluginChart.version,
    repositoryOpts: { repo: "https://aws.github.io/eks-charts" },
    namespace: "kube-system",
    values: { tolerations },
    timeout: 600,
  });
});

test("taints and types of the nodes", async () => {
  const team = { key: "team", effect: "NO_EXECUTE" } as const;
  const { inputs } = only(await made({ taints: [team], instanceTypes: ["p5.48xlarge"] }), release);
  expect(inputs["values"]).toEqual({
    tolerations: [...tolerations, { key: "team", operator: "Exists", effect: "NoExecute" }],
    supportedInstanceLabels: { values: ["p5.48xlarge"] },
  });
});

test("every type with EFA is a valid type", () => {
  const types = instanceTypeNames.filter((name) => (instanceType(name)?.efaInterfaces ?? 0) > 0);
  expect(types.length).toBeGreaterThan(5);
  expect(efaDevicePluginProblems({ instanceTypes: types })).toEqual([]);
});

test("without a Kubernetes provider it is rejected", async () => {
  await expect(plan(() => void new EfaDevicePlugin("efa"))).rejects.toMatchObject({ problems: [{ path: "provider" }] });
});

describe("wrong arguments", () => {
  testProblems(efaDevicePluginProblems, [
    [{ chartVersion: "^0.5.0" }, "version chartVersion"],
    [{ repository: "http://aws.github.io/eks-charts" }, "not-allowed repository"],
    [{ instanceTypes: ["g5 8xlarge"] }, "not-allowed instanceTypes[0]"],
    [{ timeoutSeconds: 5 }, "out-of-range timeoutSeconds"],
  ]);
});

describe("an environment", () => {
  const environment = (args: Partial<GpuEnvironmentArgs>) =>
    plan(() => {
      new GpuEnvironment("lab", { publicAccessCidrs: ["198.51.100.7/32"], ...args });
    });
  const plugins = async (args: Partial<GpuEnvironmentArgs>) =>
    ofType(await environment(args), release).filter(({ inputs }) => inputs["chart"] === efaDevicePluginChart.name);

  test("has the plugin if its GPU nodes have EFA", async () => {
    expect(await plugins({ gpuNodes: { instanceType: "g5.8xlarge" } })).toEqual([]);
    const [plugin, ...others] = await plugins({ gpuNodes: { instanceType: "g5.8xlarge", efa: true } });
    expect(others).toEqual([]);
    expect(plugin?.inputs).toMatchObject({
      values: { tolerations, supportedInstanceLabels: { values: ["g5.8xlarge"] } },
    });
    expect(plugin?.options.deletedWith).toMatch(/lab-cluster$/);
  });

  test("adjusts its release", async () => {
    const transform = { efaDevicePlugin: { release: { timeout: 900 } } };
    const [plugin] = await plugins({ gpuNodes: { instanceType: "g5.8xlarge", efa: true }, transform });
    expect(plugin?.inputs).toMatchObject({ timeout: 900 });
  });

  test("without a NAT gateway cannot pull its image", async () => {
    const noNat = { natGateways: "none", interfaceEndpoints: true } as const;
    const refused = environment({ gpuNodes: { instanceType: "g5.8xlarge", efa: true }, network: noNat });
    await expect(refused).rejects.toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ path: "gpuNodes.efa" })]) as unknown,
    });
  });
});
