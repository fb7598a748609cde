import { expect, test } from "vitest";
import { inDays } from "../../components/core/faults";
import { findProject } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import type { Cloud } from "../../planner/record/record";
import { offlineCloud } from "../../planner/record/offline-cloud";
import { runLab } from "../../stacks/run/run-lab";
import { describeSession } from "../../stacks/run/session";
import { plan } from "../support/plan";
import { ownProject } from "../support/own-project";

const project = findProject(ownProject);
const offline = offlineCloud("ap-northeast-2");

/** After the update, when the names of the node groups are known. */
const cloud: Cloud = {
  outputsOf: ({ type }) => (type === "aws:eks/nodeGroup:NodeGroup" ? { nodeGroupName: "group-1" } : {}),
  call: (token, args) => offline.call(token, args),
};

async function outputsOf(stack: string, ...overrides: string[]) {
  const { values } = stackConfig(project, stack, overrides);
  const { outputs } = await plan(() => runLab(values, stack), { cloud, stack });
  return outputs;
}

const fault = ["fault=on", `expires=${inDays(1, new Date())}`, "node=ip-1"];

test.for([
  ["node-health", [], 1, "minSize=0,maxSize=2,desiredSize=1"],
  ["nccl-block", [], 2, "minSize=0,maxSize=2,desiredSize=2"],
  ["gpu-rollout", fault, 1, "minSize=0,maxSize=2,desiredSize=1"],
  ["gpu-rollout", [...fault, "remedy=recreate"], 1, "minSize=0,maxSize=2,desiredSize=1"],
  ["gpu-rollout", [...fault, "remedy=affinity", "gpuProduct=NVIDIA-A10G"], 2, "minSize=0,maxSize=2,desiredSize=2"],
  ["gpu-lab", ["gpuNodes.maxSize=4"], 4, "minSize=0,maxSize=4,desiredSize=4"],
  ["node-health", ["gpuNodes.maxSize=4"], 1, "minSize=0,maxSize=4,desiredSize=1"],
  ["device-plugin", ["gpuNodes.maxSize=1"], 1, "minSize=0,maxSize=1,desiredSize=1"],
] as [string, string[], number, string][])(
  "a session of %s (%j) starts as many GPU nodes as it needs and may have",
  async ([stack, overrides, gpuNodes, sizes]) => {
    const outputs = await outputsOf(stack, ...overrides);
    const [nodes, command] = [outputs["gpuNodes"], String(outputs["scaleUp"])];
    expect([nodes, command.split(" --scaling-config ")]).toEqual([
      gpuNodes,
      [expect.stringContaining("group-1"), sizes],
    ]);
    expect(outputs["scaleDown"]).toBe(command.replace(/desiredSize=\d+/, "desiredSize=0"));
    expect(outputs["sessionCost"]).toContain(gpuNodes === 1 ? " with one GPU node," : ` with ${gpuNodes} GPU nodes,`);
  },
);

test("nodes that are there at rest are not paid twice", async () => {
  const [one, other] = await Promise.all([outputsOf("gpu-lab"), outputsOf("gpu-lab", "gpuNodes.desiredSize=2")]);
  expect(other["sessionCost"]).toBe(one["sessionCost"]);
});

test("what a session costs: the environment before, during and after it, and its nodes", () => {
  const price = (usdPerHour: number, complete = true) => ({ usdPerHour, complete });
  const session = { minutes: 20, gpuNodes: 2 };
  expect(describeSession(session, { atRest: price(0.3), perGpuNodeHour: price(1.5) })).toBe(
    "1.30 USD: 20 minutes with 2 GPU nodes, and 40 minutes to create and destroy the cluster",
  );
  const spot = { atRest: price(0.3), perGpuNodeHour: price(0.01, false) };
  expect(describeSession({ ...session, gpuNodes: 1 }, spot)).toBe(
    "at least 0.30 USD: 20 minutes with one GPU node, and 40 minutes to create and destroy the cluster",
  );
});
