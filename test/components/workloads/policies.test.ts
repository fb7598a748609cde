import { Namespace } from "@pulumi/kubernetes/core/v1/namespace";
import { Provider } from "@pulumi/kubernetes/provider";
import type { ComponentResourceOptions } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import {
  FaultInjection,
  GpuDeployment,
  GpuProbe,
  ModelServer,
  NcclTest,
  SocketMount,
  SocketWatch,
  type GpuDeploymentArgs,
} from "../../../components";
import { inDays } from "../../../components/core/faults";
import { asAnalyzed } from "../../../planner/record/recorded-resource";
import { judge } from "../../../policies/engine/judge";
import { lab } from "../../../policies/packs/lab/rules";
import { shared } from "../../../policies/packs/shared/rules";
import { recordingProblems } from "../../support/kubernetes-schema";
import { plan } from "../../support/plan";

const expires = inDays(7, new Date());
const model = "Qwen/Qwen2.5-0.5B-Instruct";
const packs = { lab, shared };

/** What the rules of a pack say of a program in a lab's stack, by the resource they blame. */
async function said(pack: keyof typeof packs, make: (opts: ComponentResourceOptions) => void): Promise<string[]> {
  const stack = "gpu-lab";
  const program = () => {
    const provider = new Provider("cluster", { kubeconfig: "{}" });
    new Namespace("gpu-lab", { metadata: { name: "gpu-lab" } }, { provider });
    make({ provider });
  };
  const recording = await plan(program, { stack });
  expect(recordingProblems(recording)).toEqual({});
  const findings = judge(packs[pack], recording.resources.map(asAnalyzed), { stack });
  return findings.map(({ name, level, rule, verdict }) => `${name}: ${level} ${rule} ${verdict}`).sort();
}

test.for(["lab", "shared"] as const)("pack %s has nothing to say of any workload as it is by default", async (pack) => {
  const found = await said(pack, (opts) => {
    new GpuProbe("gpu-probe", {}, opts);
    new GpuDeployment("server", {}, opts);
    new ModelServer("llm", { model, serviceMonitor: true }, opts);
    new NcclTest("nccl-test", {}, opts);
    new SocketWatch("socket-watch", { serviceMonitor: true }, opts);
  });
  expect(found).toEqual([]);
});

test.for(["lab", "shared"] as const)("pack %s has nothing to say of their other modes", async (pack) => {
  const found = await said(pack, (opts) => {
    new GpuProbe("gpu-probe", { mode: "stay", gpus: 4 }, opts);
    new GpuProbe("canary", { schedule: "* * * * *" }, opts);
    new GpuDeployment("recreated", { rollout: "recreate", gpuProducts: ["NVIDIA-A10G"], readiness: "http" }, opts);
    new ModelServer("parallel", { model, tensorParallelSize: 2, token: { secret: "hub" } }, opts);
    new GpuDeployment("ranked", { priority: { value: 1000 }, readiness: "none" }, opts);
    const image = "registry.example.com/pytorch-efa:2.8.0";
    new NcclTest("nccl-efa", { expectTransport: "efa", image, gpusPerNode: 8 }, opts);
    const paths = ["/run/containerd/containerd.sock", "/run/eks-gpu-lab/runtime.sock"];
    new SocketWatch("socket-watch", { paths, namespace: "monitoring" }, opts);
  });
  expect(found).toEqual([]);
});

test.for([{}, { fault: "xid", nodeName: "node-1" }] as const)(
  "the injection of a fault is accepted in a lab, and refused on a cluster that people share: %j",
  async (args) => {
    const inject = (opts: ComponentResourceOptions) => void new FaultInjection("fault", { expires, ...args }, opts);
    expect(await said("lab", inject)).toEqual([]);
    expect(await said("shared", inject)).toEqual(["fault: mandatory experiment-toggle-left-on fail"]);
  },
);

test("the rollout that deadlocks is named, and so is the pin to one node", async () => {
  const args: GpuDeploymentArgs = { rollout: "surge", pinnedTo: "node-1", allowDeadlock: true };
  expect(await said("lab", (opts) => void new GpuDeployment("server", args, opts))).toMatchInlineSnapshot(`
    [
      "server: advisory gpu-rollout-deadlock fail",
      "server: advisory nodeselector-hostname fail",
    ]
  `);
});

test("the mount that turns a socket into a directory is named; with its type it is not", async () => {
  const mount = (typed: boolean) => (opts: ComponentResourceOptions) =>
    void new SocketMount("socket-mount", { expires, typed }, opts);
  const names = (found: readonly string[]) => found.filter((line) => line.includes("hostpath-socket-type"));
  for (const pack of ["lab", "shared"] as const) {
    expect(names(await said(pack, mount(false)))).toEqual(["socket-mount: mandatory hostpath-socket-type fail"]);
    expect(names(await said(pack, mount(true)))).toEqual([]);
  }
  expect(await said("shared", mount(true))).toContain("socket-mount: mandatory experiment-toggle-left-on fail");
  expect(await said("lab", mount(true))).toMatchInlineSnapshot(`
    [
      "socket-mount: advisory gpu-pod-shape fail",
    ]
  `);
});
