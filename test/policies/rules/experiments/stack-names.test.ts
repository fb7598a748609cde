import { expect, test } from "vitest";
import { isStackAmong, labStackNames } from "../../../../policies/rules/experiments/stack-names";

test.for([
  ["gpu-lab", true],
  ["my-lab", true],
  ["gpu-7", true],
  ["lab-a", true],
  ["nccl-block", true],
  ["prod", false],
  ["labour", false],
  ["lab", false],
  ["gpu", false],
  ["", false],
] as const)("%s", ([stack, expected]) => {
  expect(isStackAmong(stack, labStackNames)).toBe(expected);
});

test.for([
  ["a.b", "a.b", true],
  ["axb", "a.b", false],
  ["abc", "a?c", true],
  ["ac", "a?c", false],
  ["abcbc", "a*bc", true],
  ["abcbd", "a*bc", false],
  ["a*", "a*", true],
  ["", "*", true],
  ["", "", true],
  ["a", "", false],
  ["ab", "a**b*", true],
] as const)("%s by %s: %s", ([stack, pattern, expected]) => {
  expect(isStackAmong(stack, [pattern])).toBe(expected);
});

test("no pattern takes long", () => {
  const started = performance.now();
  isStackAmong("a".repeat(5000), [`${"*a".repeat(500)}b`]);
  expect(performance.now() - started).toBeLessThan(500);
});
