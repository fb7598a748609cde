import { expect, test } from "vitest";
import { InputError } from "../../../components/core/problems";
import { readBase, reviewOf, type StackPlan } from "../../../planner/review/review";
import { renderJson, renderReviewJson } from "../../../planner/report/json";
import { renderReviewMarkdown } from "../../../planner/report/review-markdown";
import { renderReviewText } from "../../../planner/report/review-text";
import type { Finding } from "../../../policies/engine/judge";
import { finding, planOf, recordingOf, type ResourceSpec } from "../recordings";

const cluster: ResourceSpec = { type: "aws:eks/cluster:Cluster", name: "c" };
const bucket = (name: string): ResourceSpec => ({ type: "aws:s3/bucket:Bucket", name });
const planned = (stack: string, specs: readonly ResourceSpec[], findings: Finding[] = []) => ({
  stack,
  plan: planOf(recordingOf(specs, { stack }), { findings }),
});
const saved = (...plans: readonly (ReturnType<typeof planned> | object)[]) =>
  readBase(JSON.stringify(plans.map((one) => ("plan" in one ? renderJson(one.plan) : one))), "base.json");
const options = {
  most: 64_000,
  pageOf: ({ rule }: { readonly rule: string }) => (rule === "gpu-taint" ? "https://x/gpu-taint.md" : undefined),
};
const comment = (head: readonly StackPlan[], base = saved()) => renderReviewMarkdown(reviewOf(head, base), options);

test("a stack is added, removed, changed or unchanged", () => {
  const base = saved(planned("same", [cluster]), planned("gone", [cluster]), planned("other", [cluster]));
  const head = [planned("same", [cluster]), planned("new", [cluster]), planned("other", [cluster, bucket("b")])];
  const review = reviewOf(head, base);
  expect(review.stacks.map(({ stack, change }) => `${stack} ${change}`)).toEqual([
    "gone removed",
    "new added",
    "other changed",
    "same unchanged",
  ]);
  const { cost, changed, failed } = renderReviewJson(review);
  expect(cost.atRest.before).toBeCloseTo(0.3);
  expect(cost.atRest.after).toBeCloseTo(0.3);
  expect({ changed, failed }).toEqual({ changed: ["gone", "new", "other"], failed: false });
  const text = comment(head, base);
  expect(text).toContain("### ✅ Plan: 3 of 4 stacks change");
  expect(text).toMatch(/\| gone \| removed stack: −2 \| 0\.1000 → 0\.0000 \(−0\.1000\) \|/);
  expect(text).toMatch(/\| new \| new stack: \+2 \| 0\.0000 → 0\.1000 \(\+0\.1000\) \|/);
  expect(text).toContain("Unchanged: same");
  expect(text).toContain("| **total of 4 stacks** |  | **0.3000** | **0.3000** |");
});

test("findings are new, known or resolved; another value of the same property is known", () => {
  const before = [finding({ message: "taints: got 1. Why.\nfix: x" }), finding({ rule: "gone" })];
  const after = [finding({ message: "taints: got 2. Why.\nfix: x" }), finding({ rule: "new|rule" })];
  const head = [planned("a", [cluster], after)];
  const [stack] = reviewOf(head, saved(planned("a", [cluster], before))).stacks;
  expect(stack?.findings.map(({ rule, isNew }) => [rule, isNew])).toEqual([
    ["gpu-taint", false],
    ["new|rule", true],
  ]);
  expect(stack).toMatchObject({ resolved: 1, change: "changed" });
  const text = comment(head, saved(planned("a", [cluster], before)));
  expect(text).toContain("❌ 2 fail (1 new)<br>1 resolved");
  expect(text).toContain("| ❌ fail **new** | new\\|rule (high) |");
  expect(text).toContain("| ❌ fail | [gpu-taint](<https://x/gpu-taint.md>) (high) |");
});

test("a failure that the base has, too, rejects an unchanged stack and is shown", () => {
  const one = planned("a", [cluster], [finding({})]);
  const text = comment([one], saved(one));
  expect(text).toContain("### ❌ Plan: no change in 1 stack\n\nMandatory rules reject **a**.");
  expect(text).not.toMatch(/new|mermaid/);
});

test("plans of an older version without cost and findings are compared as far as they go", () => {
  const { steps } = renderJson(planned("a", [cluster]).plan);
  const head = [planned("a", [cluster, bucket("b")], [finding({})])];
  const [stack] = reviewOf(head, saved({ steps })).stacks;
  expect(stack).toMatchObject({ change: "changed", resolved: 0, atRest: { before: undefined } });
  expect(stack?.findings[0]).not.toHaveProperty("isNew");
  expect(comment(head, saved({ steps }))).toContain("| a | +1 | unknown → 0.1000 |");
});

test("a stack that fails in the head or the base is told, with its error in a block", () => {
  const base = saved(planned("a", [cluster]), { stack: "b", error: "old ``` @team <b>" });
  const text = comment([{ stack: "a", error: "broken" }, planned("b", [cluster])], base);
  expect(text).toContain("Cannot be planned: **a**.");
  expect(text).toContain("| a | ❌ cannot be planned | 0.1000 → unknown |");
  expect(text).toContain("| b | 2 resources | unknown → 0.1000 |");
  expect(text).toContain("| **total of 2 stacks** |  | **unknown** |");
  expect(text).toContain("The base cannot be planned.\n\n````\nold ``` @team <b>\n````");
  const partly = saved(planned("a", [cluster]), planned("b", []));
  expect(comment([{ stack: "a", error: "broken" }, planned("b", [])], partly)).toContain("**0.1000 → unknown**");
  const nothing = readBase('{"error":"npm ci failed"}', "base.json");
  expect(comment([planned("b", [cluster])], nothing)).toContain("nothing is compared.\n\n```\nnpm ci failed\n```");
  const none = reviewOf([planned("b", [cluster])], readBase('{"error":""}', "base.json"));
  const alone = renderReviewMarkdown(none, options);
  expect(alone).toContain("### ✅ Plan of 1 stack\n\nThere is no base to compare with.\n\n| stack |");
  expect(renderReviewText(none, { colors: false, columns: 80 })).toContain("There is no base to compare with.");
});

test("a changed stack says what has no known price, as its sum is only a lower bound", () => {
  const group = (instanceType: string): ResourceSpec => ({
    type: "aws:eks/nodeGroup:NodeGroup",
    name: "gpu",
    inputs: { instanceTypes: [instanceType], scalingConfig: { desiredSize: 0, minSize: 0, maxSize: 2 } },
  });
  const head = [planned("a", [cluster, group("g99.xlarge")])];
  const text = comment(head, saved(planned("a", [cluster, group("g5.xlarge")])));
  expect(text).toMatch(/\| 0\.1000 \| \d\.\d+ → at least 0\.1\d+ \|/);
  expect(text).toMatch(/#### a\n\nUnknown price: .*g99\.xlarge.* \(no price available/);
  expect(comment(head, saved(head[0] as object))).not.toContain("Unknown price");
});

test("names of resources and stacks are no Markdown", () => {
  const head = [planned("a", [bucket("@team ![x](y) <img>|\n```\n# x")], [finding({ name: "@team|<b>" })])];
  const [prose = "", ...blocks] = comment(head, saved(planned("a", []))).split("diff\n");
  expect(prose).toContain("@\u200bteam\\|\\<b\\>");
  expect(prose).not.toMatch(/@team|<img/);
  expect(blocks.join("")).toContain("Bucket @team");
});

test("a comment that does not fit keeps the verdict and the findings, and names what is missing", () => {
  const many = Array.from({ length: 3000 }, (_, index) => bucket(`bucket-with-a-long-name-${index}`));
  const heads = ["a", "b", "c", "d"].map((stack) => planned(stack, many, [finding({ name: "x" })]));
  const base = saved(...heads.map(({ stack }) => planned(stack, [])));
  const text = comment(heads, base);
  expect(text.length).toBeLessThanOrEqual(64_000);
  expect(text).toContain("### ❌ Plan: 4 of 4 stacks change");
  expect(text.match(/❌ fail \*\*new\*\*/g)).toHaveLength(4);
  expect(text).toMatch(/more lines not shown because the comment is too long/);
  expect(text).toMatch(/Not shown because the comment is too long: changes of [a-d]/);
  expect(renderReviewMarkdown(reviewOf(heads, base), { ...options, most: 340_000 }).length).toBeGreaterThan(100_000);
});

test("a change that replaces its resource is named in the table and in the difference", () => {
  const named = (inputs: Record<string, string>): ResourceSpec => ({ ...cluster, inputs });
  const changeOf = (before: Record<string, string>, after: Record<string, string>) =>
    renderReviewMarkdown(reviewOf([planned("a", [named(after)])], saved(planned("a", [named(before)]))), options);
  const text = changeOf({ name: "old" }, { name: "new" });
  expect(text).toContain("| a | 1 changed (1 replaced) |");
  expect(text).toContain("! Cluster c (replaced: name)\n");
  expect(changeOf({ version: "1.34" }, { version: "1.35" })).not.toContain("replaced");
});

test("the text names each stack that differs, and its findings", () => {
  const review = reviewOf([planned("a", [cluster, bucket("b")], [finding({})])], saved(planned("a", [cluster])));
  const text = renderReviewText(review, { colors: false, columns: 80 });
  expect(text).toContain("Stack a: changed");
  expect(text).toContain("+ Bucket b");
  expect(text).toMatch(/FAIL +gpu-taint/);
});

test("in a base without stacks, each stack is new", () => {
  const review = reviewOf([planned("a", [cluster])], readBase("[]", "base.json"));
  expect(renderReviewText(review, { colors: false, columns: 80 })).toMatch(/^Stack a: added$/m);
});

test.for([
  ["no JSON", "x", "base.json"],
  ["a text", '"x"', "base.json"],
  ["no plan", '[{"name":1}]', "base.json [0] steps"],
  ["a plan of no stack", '[{"steps":[]}]', "base.json [0] steps"],
  ["two plans of a stack", JSON.stringify([0, 1].map(() => renderJson(planned("a", [cluster]).plan))), "base.json"],
  [
    "a plan and an error of a stack",
    JSON.stringify([renderJson(planned("a", [cluster]).plan), { stack: "a", error: "x" }]),
    "base.json",
  ],
] as const)("rejects a base with %s", ([, text, path]) => {
  let problems: unknown;
  try {
    readBase(text, "base.json");
  } catch (error) {
    problems = InputError.is(error) ? error.problems.map((problem) => problem.path) : error;
  }
  expect(problems).toEqual([path]);
});

test("a comment has one warning that prices are old, that of the oldest ones", () => {
  const aged = (stack: string, warning: string) => {
    const { plan } = planned(stack, [cluster]);
    return { stack, plan: { ...plan, cost: { ...plan.cost, priceTable: { date: "2026-11-21", warning } } } };
  };
  const [one, two] = [aged("a", "Prices from 2026."), aged("b", "Prices from 2025.")];
  const warnings = (text: string) => text.match(/^Warning: .*$/gm);
  expect(warnings(comment([one, two]))).toEqual(["Warning: Prices from 2025."]);
  expect(warnings(comment([], saved(one)))).toEqual(["Warning: Prices from 2026."]);
  const text = renderReviewText(reviewOf([one, two], saved()), { colors: false, columns: 100 });
  expect(warnings(text)).toEqual(["Warning: Prices from 2025."]);
  expect(warnings(comment([one], saved(one)))).toBeNull();
});
