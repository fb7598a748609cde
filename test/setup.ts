import { afterAll, expect, type RunnerTestSuite } from "vitest";

// vitest runs this file before each test file. At the end of a rule's own test file, its cases must reach the minimum.

function isWhole({ tasks }: Readonly<RunnerTestSuite>): boolean {
  return tasks.every((task) => task.mode === "run" && (task.type === "test" || isWhole(task)));
}

// vitest requires the pattern, although nothing is taken from it: the suite, here the file, comes second.
afterAll(async ({}, suite) => {
  const { testPath = "" } = expect.getState();
  if (!testPath.includes("/test/policies/rules/") || !isWhole(suite)) return;
  const { lackingIn } = await import("./policies/support/case-minimum.js");
  const help = "the cases of the rule that this file must add: see test/policies/support/case-minimum.ts";
  expect(lackingIn(testPath), help).toEqual([]);
});
