import { expect, test } from "vitest";
import { mandatoryFailures } from "../../../planner/plan";
import { groupedFindings, nextCommand, verdictText } from "../../../planner/report/findings";
import { finding, planOf, recordingOf } from "../recordings";

const failure = finding({});
const advice = finding({ rule: "addon-pin", level: "advisory", severity: "low", name: "coredns", message: "m" });
const unknown = finding({ rule: "quota", verdict: "unknown", name: "", urn: "", message: "later" });

test("mandatory failures come first, then advice, then what the update decides; within them the severe ones", () => {
  const groups = groupedFindings([
    unknown,
    advice,
    finding({ rule: "b", severity: "medium" }),
    failure,
    finding({ rule: "a", severity: "medium" }),
  ]);
  expect(groups.map(({ kind, rule }) => `${kind} ${rule}`)).toEqual([
    "fail gpu-taint",
    "fail a",
    "fail b",
    "advice addon-pin",
    "unknown quota",
  ]);
});

test("the same words about several resources are said once", () => {
  const groups = groupedFindings([advice, { ...advice, name: "vpc-cni" }, { ...advice, name: "x", message: "other" }]);
  expect(groups.map(({ names }) => names)).toEqual([["coredns", "vpc-cni"], ["x"]]);
});

test("a rule that blames no resource blames the stack", () => {
  expect(groupedFindings([unknown])[0]?.names).toEqual(["the stack"]);
});

test.for([
  ["nothing said", [], "Accepted by the pack lab 1.2.3 (24 rules)"],
  ["a mandatory failure", [failure], "Refused by the pack lab 1.2.3 (24 rules): 1 mandatory rule not met: gpu-taint"],
  [
    "one rule failing twice, another once",
    [failure, finding({ name: "gpu-2", message: "m" }), finding({ rule: "disk" })],
    "Refused by the pack lab 1.2.3 (24 rules): 2 mandatory rules not met: disk, gpu-taint",
  ],
  [
    "advice alone",
    [advice, { ...advice, message: "n" }],
    "Accepted by the pack lab 1.2.3 (24 rules); 2 pieces of advice",
  ],
  [
    "a mandatory rule that cannot tell yet",
    [unknown],
    "Accepted by the pack lab 1.2.3 (24 rules); 1 verdict left to the update",
  ],
] as const)("verdict with %s", ([, findings, text]) => {
  expect(verdictText(planOf(recordingOf([]), { findings: [...findings] }))).toBe(text);
});

test("only a mandatory rule that fails refuses a plan", () => {
  expect(mandatoryFailures({ findings: [unknown, advice, failure] })).toEqual([failure]);
});

test.for([
  ["accepted", [advice], "pulumi preview --stack test"],
  ["refused", [failure], "npx eks-gpu-lab plan --stack test"],
] as const)("next command of a plan that is %s", ([, findings, command]) => {
  expect(nextCommand(planOf(recordingOf([]), { findings: [...findings] })).command).toBe(command);
});
