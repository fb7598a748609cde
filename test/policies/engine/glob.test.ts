import { expect, test } from "vitest";
import { cpuMsOf } from "../../support/cpu-time";
import { matches } from "../../../policies/engine/glob";

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
  expect(matches(stack, pattern)).toBe(expected);
});

test("no pattern takes long", () => {
  expect(cpuMsOf(() => matches("a".repeat(5000), `${"*a".repeat(500)}b`))).toBeLessThan(500);
});
