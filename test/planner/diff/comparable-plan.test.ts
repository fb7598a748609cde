import { expect, test } from "vitest";
import { InputError, renderProblem } from "../../../components/core/problems";
import { differenceOf } from "../../../planner/diff/diff";
import {
  comparablePlan,
  comparableRecording,
  formatVersion,
  readSavedPlan,
} from "../../../planner/diff/comparable-plan";
import { renderJson } from "../../../planner/report/json";
import { readBase } from "../../../planner/review/review";
import { planOf, recordingOf } from "../recordings";

const recording = recordingOf(
  [
    {
      type: "aws:eks/nodeGroup:NodeGroup",
      name: "gpu",
      inputs: { instanceTypes: ["g5.xlarge"], scalingConfig: { maxSize: 2 }, password: "hunter2" },
      secretPaths: ["password"],
      options: { customTimeouts: { create: "30m" }, ignoreChanges: ["tags"] },
    },
  ],
  { stack: "gpu-lab" },
);

test("a plan that was saved and read again equals the plan", () => {
  const plan = planOf(recording);
  const saved = readSavedPlan(JSON.stringify(renderJson(plan)), "plan.json");
  expect(saved.name).toBe("gpu-lab in plan.json");
  expect(saved.atRest?.usdPerHour).toBe(plan.cost.atRest.usdPerHour);
  const difference = differenceOf(saved, comparablePlan(plan));
  expect(difference).toMatchObject({ added: [], removed: [], changed: [], unchanged: 2 });
});

test("a preview of the engine can be read, too: without cost, with replacements and deletions", () => {
  const urn = "urn:pulumi:gpu-lab::lab::aws:kms/key:Key::key";
  const newState = { urn, custom: true, type: "aws:kms/key:Key", inputs: { a: 2 } };
  const steps = [
    { op: "create-replacement", urn, newState: { ...newState, inputs: { a: 1 } } },
    { op: "replace", urn, newState },
    { op: "delete", urn: "urn:other", oldState: {} },
  ];
  expect(readSavedPlan(JSON.stringify({ steps }), "preview.json")).toEqual({
    name: "gpu-lab in preview.json",
    resources: [newState],
  });
  expect(readSavedPlan('{"steps":[]}', "empty.json").name).toBe("a plan in empty.json");
});

test("neither a recording nor a plan to be compared holds a secret", () => {
  expect(JSON.stringify([comparableRecording(recording), comparablePlan(planOf(recording))])).not.toContain("hunter2");
});

test.for([
  ["text", "not JSON hunter2", "plan.json"],
  ["another document", '{"name":"hunter2"}', "plan.json steps"],
  ["no document at all", "null", "plan.json steps"],
  ["several plans", "[]", "plan.json"],
  ["a step that is not an object", '{"steps":["hunter2"]}', "plan.json steps[0]"],
  ["an invalid state", '{"steps":[{"newState":{"urn":1,"x":"hunter2"}}]}', "plan.json steps[0].newState"],
] as const)("rejects a file with %s, without showing its content", ([, text, path]) => {
  const error = inputError(() => readSavedPlan(text, "plan.json"));
  expect(error.problems.map((problem) => problem.path)).toEqual([path]);
  expect(error.message).not.toContain("hunter2");
});

test("the wording of the problems", () => {
  const texts = ["text", "{}", "[]", '{"steps":[1]}', '{"steps":[{"newState":{}}]}'];
  const problems = texts.flatMap((text) => inputError(() => readSavedPlan(text, "plan.json")).problems);
  expect(problems.map((problem) => renderProblem(problem))).toMatchInlineSnapshot(`
    [
      "plan.json: Must be JSON.
      fix: save a plan with plan --json > FILE.json",
      "plan.json steps: Must be a list of steps, as in a plan that plan --json wrote.
      fix: save a plan with plan --json > FILE.json",
      "plan.json: Must contain one plan. It is a list.
      fix: save one plan with plan --stack NAME --json > FILE.json",
      "plan.json steps[0]: Must be an object. It is 1.
      fix: save a plan with plan --json > FILE.json",
      "plan.json steps[0].newState: Must have a URN and a type. It is an object.
      fix: save a plan with plan --json > FILE.json",
    ]
  `);
});

function inputError(body: () => unknown): InputError {
  try {
    body();
  } catch (error) {
    if (InputError.is(error)) return error;
    throw error;
  }
  throw new Error("no error was thrown");
}

test.for([
  ["a newer format", 2, "formatVersion: got 2."],
  ["a format of another kind", "next", 'formatVersion: got "a string".'],
] as const)("%s is refused with a fix, also in a base", ([, formatVersion, message]) => {
  const plan = planOf(recording);
  const document = { ...renderJson(plan), formatVersion };
  for (const read of [
    () => readSavedPlan(JSON.stringify(document), "plan.json"),
    () => readBase(JSON.stringify([renderJson(plan), document]), "base.json"),
  ]) {
    expect(read).toThrow(message);
    expect(read).toThrow("fix: update eks-gpu-lab, or save the plan again");
  }
});

test("a plan states its format, and one without a format is read as before", () => {
  const plan = planOf(recording);
  const { formatVersion: stated, ...old } = renderJson(plan);
  expect(stated).toBe(formatVersion);
  expect(readSavedPlan(JSON.stringify(old), "plan.json")).toEqual(
    readSavedPlan(JSON.stringify(renderJson(plan)), "plan.json"),
  );
});
