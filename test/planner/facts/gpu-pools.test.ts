import { Provider } from "@pulumi/kubernetes/provider";
import { expect, test } from "vitest";
import { GpuEnvironment, GpuNodePool, type GpuEnvironmentArgs, type GpuNodePoolArgs } from "../../../components";
import type { Recording } from "../../../planner/record/record";
import { indexOf } from "../../../planner/facts/resource-index";
import { factGroupsOf } from "../../../planner/report/gpu-facts";
import { plan } from "../../support/plan";
import { planOf } from "../recordings";

const rowsOf = (recording: Recording) => {
  const [group] = factGroupsOf(planOf(recording), indexOf(recording)).filter(({ kind }) => kind === "GPU nodes");
  return Object.fromEntries(group?.facts ?? []);
};
const ofEnvironment = async (gpuNodes: GpuEnvironmentArgs["gpuNodes"]) =>
  rowsOf(await plan(() => void new GpuEnvironment("lab", { publicAccessCidrs: ["198.51.100.7/32"], gpuNodes })));

const wired: GpuNodePoolArgs = {
  ...{ subnetId: "subnet-0123456789abcdef0", securityGroupIds: ["sg-0123456789abcdef0"] },
  ...{ instanceProfileName: "nodes", kubernetesVersion: "1.35" },
};
const ofPool = async (args: GpuNodePoolArgs) => {
  const provider = () => new Provider("cluster", { kubeconfig: "{}" });
  return rowsOf(await plan(() => void new GpuNodePool("gpu", args, { provider: provider() })));
};

test("a pool of Karpenter has the rows of a node group, from the pool, its node class and its subnet", async () => {
  const { price, ...rows } = await ofEnvironment({ provisioner: "karpenter", diskSizeGiB: 150, maxSize: 3 });
  expect(price).toContain("per node-hour including the disk");
  expect(rows).toEqual({
    instance: "g5.xlarge on demand: 1 x NVIDIA A10G (22.4 GiB each), 4 vCPU",
    zone: "ap-northeast-2a: subnet lab-vpc-private-1",
    size: "0 without pods, max 3",
    quota: "12 vCPU of L-DB2E81BA at maximum size (3 x 4)",
    disk: "150 GiB gp3, encrypted",
    AMI: "al2023@v20260930",
    taints: "nvidia.com/gpu=true:NoSchedule",
    owner: "pods: a node starts when a pod needs its GPUs",
  });
  const group = await ofEnvironment({ diskSizeGiB: 150, maxSize: 3 });
  expect(Object.keys(group)).toEqual([...Object.keys(rows), "price"]);
});

test("EKS Auto Mode decides about the AMI, and encrypts the disk", async () => {
  const rows = await ofEnvironment({ provisioner: "autoMode", capacityType: "SPOT", azIndex: 1 });
  expect(rows).toMatchObject({
    instance: "g5.xlarge spot: 1 x NVIDIA A10G (22.4 GiB each), 4 vCPU",
    zone: "ap-northeast-2b: subnet lab-vpc-private-2",
    quota: "8 vCPU of L-3819A6DF at maximum size (2 x 4)",
    disk: "100 GiB, encrypted",
    AMI: "chosen by EKS Auto Mode",
  });
});

test("what depends on the type that starts is not stated for several types", async () => {
  const rows = await ofPool({ ...wired, instanceTypes: ["g5.xlarge", "g6.2xlarge"], zone: "ap-northeast-2c" });
  expect(rows).toMatchObject({
    instance: "g5.xlarge or g6.2xlarge on demand: NVIDIA GPU",
    zone: "ap-northeast-2c: subnet subnet-0123456789abcdef0",
    quota: "depends on the types that start",
  });
});

test("of a node class that another program created, nothing is known", async () => {
  const rows = await ofPool({ provisioner: "autoMode", nodeClassName: "default", zone: "ap-northeast-2a" });
  expect(Object.keys(rows)).toEqual(["instance", "size", "price"]);
});
