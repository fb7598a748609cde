import { expect, test } from "vitest";
import { InputError } from "../../../components/core/problems";
import { differenceOf } from "../../../planner/diff/diff";
import { comparedPlan, comparedRecording, readSavedPlan } from "../../../planner/diff/comparable-plan";
import { renderJson } from "../../../planner/report/json";
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
  const difference = differenceOf(saved, comparedPlan(plan));
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
  expect(JSON.stringify([comparedRecording(recording), comparedPlan(planOf(recording))])).not.toContain("hunter2");
});

test.for([
  ["text", "not JSON hunter2", 'plan.json: got "some string". It is not JSON.'],
  ["another document", '{"name":"hunter2"}', "plan.json steps: got nothing. A plan has a list of steps."],
  ["no document at all", "null", "plan.json steps: got nothing. A plan has a list of steps."],
  ["several plans", "[]", 'plan.json: got "a list". It holds several plans.'],
  ["a step that is none", '{"steps":["hunter2"]}', 'plan.json steps[0]: got "some string". A step is an object.'],
  [
    "a state that is none",
    '{"steps":[{"newState":{"urn":1,"x":"hunter2"}}]}',
    'plan.json steps[0].newState: got "some object". A resource has a URN and a type.',
  ],
] as const)("refuses a file that holds %s, without repeating it", ([, text, message]) => {
  const read = () => readSavedPlan(text, "plan.json");
  expect(read).toThrow(InputError);
  expect(read).toThrow(message);
  expect(read).not.toThrow(/hunter2/);
});
