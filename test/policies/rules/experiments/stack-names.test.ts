import { expect, test } from "vitest";
import { matchesAny } from "../../../../policies/engine/glob";
import { labStackNames } from "../../../../policies/rules/experiments/stack-names";

test.for([
  ["gpu-lab", true],
  ["my-lab", true],
  ["gpu-rollout", true],
  ["node-health", true],
  ["gpu-7", false],
  ["gpu-prod", false],
  ["lab-a", true],
  ["nccl-block", true],
  ["prod", false],
  ["labour", false],
  ["lab", false],
  ["gpu", false],
  ["", false],
] as const)("%s", ([stack, expected]) => {
  expect(matchesAny(stack, labStackNames)).toBe(expected);
});
