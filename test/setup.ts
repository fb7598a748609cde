import { afterAll, afterEach, expect, type RunnerTestSuite } from "vitest";

// vitest runs this file before each test file. At the end of a rule's own test file, its cases must reach the minimum. A test
// that hangs says which recording has not ended, and what that waits for.

afterEach(async ({ task }) => {
  const timedOut = task.result?.errors?.filter(({ message }) => message.startsWith("Test timed out")) ?? [];
  if (timedOut.length === 0) return;
  const { runningRecordings, unfinished } = await import("../planner/record/record.js");
  const awaited = runningRecordings().map((store) => `\na recording: ${unfinished(store).message}`);
  for (const error of timedOut) error.message += awaited.length > 0 ? awaited.join("") : "\nno recording is running";
});

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
