import { Provider } from "@pulumi/kubernetes/provider";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../components";
import { FakeGpus } from "../../../components/local/fake-gpus";
import { fakeGpusProblems, type FakeGpusArgs } from "../../../components/local/fake-gpus-schema";
import { recordingProblems } from "../../support/kubernetes-schema";
import { plan } from "../../support/plan";
import { testProblems } from "../../support/problems";

const planned = async (args: FakeGpusArgs = {}) => {
  const recording = await plan(() => {
    new FakeGpus("lab", args, { provider: new Provider("cluster", { context: "kwok-lab" }) });
  });
  // The API server and KWOK check these in test/cluster.
  const custom = ["lab-capacity", "lab-policy", "lab-policy-kind"];
  expect(Object.keys(recordingProblems(recording)).filter((name) => !custom.includes(name))).toEqual([]);
  return recording.resources.filter(({ type }) => type.startsWith("kubernetes:"));
};
type Node = {
  metadata: { name: string; labels: Record<string, string>; annotations: Record<string, string> };
  spec: { taints: object[] };
};
const nodesIn = (resources: Awaited<ReturnType<typeof planned>>) =>
  resources.filter(({ type }) => type === "kubernetes:core/v1:Node").map(({ inputs }) => inputs as unknown as Node);
const capacityOf = ({ metadata }: Node) => JSON.parse(metadata.annotations["eks-gpu-lab/capacity"] ?? "") as object;

test("by default two g5.xlarge and two t3.medium, with an operator and its device plugin", async () => {
  const resources = await planned();
  expect(resources.map(({ type, name }) => `${type.split(":")[2]} ${name}`).sort()).toEqual([
    "ClusterPolicy lab-policy",
    "CustomResourceDefinition lab-policy-kind",
    "DaemonSet lab-device-plugin",
    "Deployment lab-operator",
    "Namespace lab-operator-namespace",
    "Node lab-gpu-1",
    "Node lab-gpu-2",
    "Node lab-system-1",
    "Node lab-system-2",
    "Stage lab-capacity",
  ]);
  const [system, , gpu] = nodesIn(resources);
  if (!system || !gpu) throw new Error("nodes are missing");
  expect(capacityOf(system)).toEqual({ cpu: "2", memory: "4Gi", pods: "17", "ephemeral-storage": "100Gi" });
  expect(capacityOf(gpu)).toMatchObject({ cpu: "4", memory: "16Gi", "nvidia.com/gpu": "1" });
  expect(system.spec.taints).toEqual([]);
  expect(gpu.spec.taints).toEqual([{ key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" }]);
  expect(gpu.metadata.labels).toMatchObject({ tier: "gpu", "nvidia.com/gpu.product": "NVIDIA-A10G", type: "kwok" });
});

test("the nodes are like those of other types, labels and taints", async () => {
  const taint = { key: "team", value: "a", effect: "NO_EXECUTE" } as const;
  const resources = await planned({
    ...{ gpuNodes: 1, instanceType: "p4d.24xlarge", labels: { team: "a" }, taints: [taint] },
    ...{ systemNodes: 1, systemInstanceType: "m7i.large" },
  });
  const [, gpu] = nodesIn(resources);
  if (!gpu) throw new Error("the node is missing");
  expect(capacityOf(gpu)).toMatchObject({ cpu: "96", "nvidia.com/gpu": "8" });
  expect(gpu.metadata.labels).toMatchObject({ team: "a", "nvidia.com/gpu.count": "8" });
  expect(gpu.spec.taints).toHaveLength(2);
});

test("without the device plugin there is no DaemonSet, the nodes offer no GPU, and the policy says so", async () => {
  const resources = await planned({ devicePlugin: false });
  expect(resources.map(({ name }) => name)).not.toContain("lab-device-plugin");
  for (const node of nodesIn(resources).slice(2)) expect(capacityOf(node)).toMatchObject({ "nvidia.com/gpu": "0" });
  const policy = resources.find(({ name }) => name === "lab-policy");
  expect(policy?.inputs).toMatchObject({
    spec: { devicePlugin: { enabled: false } },
    status: { state: "ready" },
  });
});

test("the nodes wait for the stage that gives them their capacity, and the operator for the nodes", async () => {
  const resources = await planned();
  const urnOf = (name: string) => resources.find((one) => one.name === name)?.urn;
  const dependenciesOf = (name: string) => resources.find((one) => one.name === name)?.dependencies;
  expect(dependenciesOf("lab-gpu-1")).toContain(urnOf("lab-capacity"));
  expect(dependenciesOf("lab-operator-namespace")).toContain(urnOf("lab-gpu-2"));
  expect(dependenciesOf("lab-policy")).toContain(urnOf("lab-policy-kind"));
});

test("without a provider, nothing is created in the cluster of the local kubeconfig", async () => {
  await expect(plan(() => void new FakeGpus("lab"))).rejects.toThrow(InputError);
});

describe("wrong arguments", () => {
  testProblems(fakeGpusProblems, [
    [{ gpuNodes: 0 }, "out-of-range gpuNodes"],
    [{ gpuNodes: 101 }, "out-of-range gpuNodes"],
    [{ systemNodes: 1.5 }, "wrong-type systemNodes"],
    [{ instanceType: "t3.medium" }, "not-allowed instanceType"],
    [{ systemInstanceType: "g5.xlarge" }, "not-allowed systemInstanceType"],
    [{ devicePlugin: "no" }, "wrong-type devicePlugin"],
    [{ nodes: 2 }, "unknown-key nodes"],
  ]);
});
