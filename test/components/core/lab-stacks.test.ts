import { expect, test } from "vitest";
import { isLabStack, labStackNames, labStackProblems } from "../../../components/core/faults";
import { matchesAny } from "../../../policies/engine/glob";

const names = [
  ...["gpu-lab", "my-lab", "lab-7", "-lab", "nccl-block", "node-health", "runtime-socket", "gpu-rollout"],
  "model-server",
  ...["no-node-comes", "gang-deadlock"],
];
const others = [
  "gpu-",
  "gpu-prod",
  "prod",
  "lab",
  "gpu",
  "nccl-blocked",
  "x-nccl-block",
  "labs-1",
  "GPU-lab1",
  "team-lab-prod",
  "",
];

test("stacks of labs, as the policies tell them", () => {
  for (const stack of [...names, ...others]) {
    expect([stack, isLabStack(stack)]).toEqual([stack, matchesAny(stack, labStackNames)]);
    expect([stack, isLabStack(stack)]).toEqual([stack, names.includes(stack)]);
  }
});

test("a fault elsewhere is reported", () => {
  expect(labStackProblems("gpu-lab")).toEqual([]);
  expect(labStackProblems("prod")).toMatchObject([{ path: "stack", got: "prod", code: "not-allowed" }]);
});
