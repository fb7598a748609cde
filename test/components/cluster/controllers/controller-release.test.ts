import { expect, test } from "vitest";
import { installProblems } from "../../../../components/cluster/controllers/controller-release";
import { InputError } from "../../../../components/core/problems";

const chart = { name: "some-chart", version: "1.2.3", repository: "https://charts.example.com" };
const problems = (args: Record<string, unknown>, at?: string) => installProblems(args, chart, at);

test.for([
  ["nothing", {}],
  ["undefined", { install: undefined, chartVersion: undefined, repository: undefined, timeoutSeconds: undefined }],
  [
    "another version and a mirror",
    { install: true, chartVersion: "v3.5.0", repository: "https://mirror.example.com/a" },
  ],
  ["the longest wait", { timeoutSeconds: 3600 }],
] as const)("fine: %s", ([, args]) => expect(problems(args)).toEqual([]));

test.for([
  ["a text for true", { install: "true" }, "wrong-type", "install"],
  ["latest", { chartVersion: "latest" }, "version", "chartVersion"],
  ["an empty version", { chartVersion: "" }, "version", "chartVersion"],
  ["a range", { chartVersion: "^3.5.0" }, "version", "chartVersion"],
  ["a minor", { chartVersion: "3.5" }, "version", "chartVersion"],
  ["any patch", { chartVersion: "3.5.x" }, "version", "chartVersion"],
  ["a number", { chartVersion: 3.5 }, "wrong-type", "chartVersion"],
  ["http", { repository: "http://charts.example.com" }, "not-allowed", "repository"],
  ["a name", { repository: "eks-charts" }, "not-allowed", "repository"],
  ["no text", { repository: null }, "wrong-type", "repository"],
  ["a login", { repository: "https://user:hunter2@charts.example.com" }, "not-allowed", "repository"],
  ["too short a wait", { timeoutSeconds: 30 }, "out-of-range", "timeoutSeconds"],
  ["a text for seconds", { timeoutSeconds: "600" }, "wrong-type", "timeoutSeconds"],
] as const)("refused: %s", ([, args, code, path]) => {
  expect(problems(args).map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
  expect(problems(args, "autoscaler").map((problem) => problem.path)).toEqual([`autoscaler.${path}`]);
});

test("the messages say what to do, and show no login", () => {
  const { message } = new InputError(
    "stack gpu-lab",
    problems({ chartVersion: "^3.5.0", repository: "https://user:hunter2@charts.example.com" }),
  );
  expect(message).not.toContain("hunter2");
  expect(message).toMatchInlineSnapshot(`
    "stack gpu-lab: 2 problems in the input
      chartVersion: got "^3.5.0". It is no exact version: Helm would take another chart on another day.
        fix: set chartVersion to one exact version, such as "1.2.3"
      repository: got "https://***@charts.example.com". A login in the address would stand in every plan and in the state.
        fix: take the login out of repository, and pass it with transform.release"
  `);
});
