import { afterAll, afterEach, expect, type RunnerTestSuite } from "vitest";

// vitest runs this file before each test file. At the end of a rule's own test file, its cases must reach the minimum. A test
// that hangs says which recording has not ended, and what that waits for. A file that leaves a recording behind fails.

async function awaited(): Promise<string[]> {
  const { runningRecordings, unfinished } = await import("../planner/record/record.js");
  return runningRecordings().map((store) => `a recording: ${unfinished(store).message}`);
}

afterEach(async ({ task }) => {
  const timedOut = task.result?.errors?.filter(({ message }) => message.startsWith("Test timed out")) ?? [];
  if (timedOut.length === 0) return;
  const running = await awaited();
  for (const error of timedOut) error.message += `\n${running.join("\n") || "no recording is running"}`;
});

// Its error would be one of the whole run, which names another file.
afterAll(async () => {
  expect(await awaited(), "recordings that this file started and that have not ended").toEqual([]);
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
