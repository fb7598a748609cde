import { expect, test } from "vitest";
import { mandatoryFailures, type PlanArguments } from "../../../planner/plan";
import { groupedFindings, nextCommand, verdictText } from "../../../planner/report/findings";
import { finding, planOf, recordingOf } from "../recordings";

const failure = finding({});
const advisory = finding({ rule: "addon-pin", level: "advisory", severity: "low", name: "coredns", message: "m" });
const unknown = finding({ rule: "quota", verdict: "unknown", name: "", urn: "", message: "later" });

test("mandatory failures come first, then advisory findings, then unknown verdicts; the most severe first", () => {
  const groups = groupedFindings([
    unknown,
    advisory,
    finding({ rule: "b", severity: "medium" }),
    failure,
    finding({ rule: "a", severity: "medium" }),
  ]);
  expect(groups.map(({ kind, rule }) => `${kind} ${rule}`)).toEqual([
    "fail gpu-taint",
    "fail a",
    "fail b",
    "advisory addon-pin",
    "unknown quota",
  ]);
});

test("one message about several resources is one group", () => {
  const groups = groupedFindings([
    advisory,
    { ...advisory, name: "vpc-cni" },
    { ...advisory, name: "x", message: "other" },
  ]);
  expect(groups.map(({ names }) => names)).toEqual([["coredns", "vpc-cni"], ["x"]]);
});

test("a finding about no resource is about the stack", () => {
  expect(groupedFindings([unknown])[0]?.names).toEqual(["the stack"]);
});

test("the wording of verdicts", () => {
  const verdicts = [
    [],
    [failure],
    [failure, finding({ name: "gpu-2", message: "m" }), finding({ rule: "disk" })],
    [advisory, { ...advisory, message: "n" }],
    [unknown],
  ];
  expect(verdicts.map((findings) => verdictText(planOf(recordingOf([]), { findings })))).toMatchInlineSnapshot(`
    [
      "Accepted by the policy pack lab 1.2.3 (24 rules)",
      "Rejected by the policy pack lab 1.2.3 (24 rules): 1 mandatory rule failed: gpu-taint",
      "Rejected by the policy pack lab 1.2.3 (24 rules): 2 mandatory rules failed: disk, gpu-taint",
      "Accepted by the policy pack lab 1.2.3 (24 rules); 2 advisory findings",
      "Accepted by the policy pack lab 1.2.3 (24 rules); 1 verdict unknown before the update",
    ]
  `);
});

test("only a failed mandatory rule rejects a plan", () => {
  expect(mandatoryFailures({ findings: [unknown, advisory, failure] })).toEqual([failure]);
});

test.for([
  ["accepted", [advisory], "pulumi preview --stack test"],
  ["rejected", [failure], "npx eks-gpu-lab plan --stack test"],
] as const)("next command of a plan that is %s", ([, findings, command]) => {
  expect(nextCommand(planOf(recordingOf([]), { findings: [...findings] })).command).toBe(command);
});

test("the next command repeats what the plan was made with", () => {
  const repeat = { config: ["gpuNodes.maxSize=1", "lab=a b"], pack: "shared", policyConfig: "rules.json" };
  const { command } = nextCommand({ ...planOf(recordingOf([]), { findings: [failure] }), repeat });
  const options = "--pack shared --policy-config rules.json --config gpuNodes.maxSize=1 --config 'lab=a b'";
  expect(command).toBe(`npx eks-gpu-lab plan --stack test ${options}`);
});

test("the preview has the pack and its configuration if the engine can start it", () => {
  const next = (repeat: PlanArguments) => nextCommand({ ...planOf(recordingOf([]), {}), repeat }).command;
  const own = { config: [], pack: "./my pack", policyPack: "./my pack" };
  expect(next(own)).toBe("pulumi preview --stack test --policy-pack './my pack'");
  const preview = "pulumi preview --stack test --policy-pack './my pack' --policy-pack-config rules.json";
  expect(next({ ...own, policyConfig: "rules.json" })).toBe(preview);
  const module = { config: [], pack: "./rules.ts", policyConfig: "rules.json" };
  expect(next(module)).toBe("pulumi preview --stack test");
});
