import { expect, test } from "vitest";
import { labStackNames } from "../../../components/core/faults";
import { matchesAny } from "../../../policies/engine/glob";
import { surroundings } from "../../../policies/engine/resource";
import { isInjected, labStacks, orInject } from "../../../policies/facts/lab-faults";
import { faultOn, now } from "../support/lab-fault";

const stacks = labStacks.default;
const lab = { "eks-gpu-lab:lab": "device-plugin" };

test.for([
  ["the lab by its stack's name", "device-plugin", faultOn, true],
  ["by its key", "my-lab", { ...faultOn, ...lab }, true],
  ["by its stack's name where the key is empty", "device-plugin", { ...faultOn, "eks-gpu-lab:lab": "" }, true],
  ["another lab", "gpu-rollout", faultOn, false],
  ["another lab by its key", "device-plugin", { ...faultOn, "eks-gpu-lab:lab": "gpu-rollout" }, false],
  ["a stack that is no lab", "prod", { ...faultOn, ...lab }, false],
  ["a lab without a configuration", "device-plugin", {}, false],
  ["off", "device-plugin", { ...faultOn, "eks-gpu-lab:fault": "off" }, false],
  ["without an end", "device-plugin", { "eks-gpu-lab:fault": "on" }, false],
  ["on its last day", "device-plugin", { ...faultOn, "eks-gpu-lab:expires": "2026-11-20" }, true],
  ["past its end", "device-plugin", { ...faultOn, "eks-gpu-lab:expires": "2026-11-19" }, false],
  ["with an end too far away", "device-plugin", { ...faultOn, "eks-gpu-lab:expires": "2026-12-05" }, false],
  ["with an end that is none", "device-plugin", { ...faultOn, "eks-gpu-lab:expires": "soon" }, false],
] as const)("%s", ([, stack, config, expected]) => {
  expect(isInjected("device-plugin", stacks, surroundings({ stack, config, now }))).toBe(expected);
});

test("a pack that knows no lab stacks lets none", () => {
  const facts = surroundings({ stack: "device-plugin", config: faultOn, now });
  expect(isInjected("device-plugin", [], facts)).toBe(false);
  expect(isInjected("device-plugin", ["device-*"], facts)).toBe(true);
  expect(orInject("device-plugin", [])).toBe("");
  expect(orInject("device-plugin", stacks)).toContain("the lab device-plugin");
});

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
] as const)("the stack %s is a lab: %s", ([stack, expected]) => {
  expect(matchesAny(stack, labStackNames)).toBe(expected);
});
