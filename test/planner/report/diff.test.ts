import { expect, test } from "vitest";
import { differenceOf } from "../../../planner/diff/diff";
import { comparableRecording } from "../../../planner/diff/comparable-plan";
import { renderDiffMarkdown, renderDiffText } from "../../../planner/report/diff";
import { unknownSentinel } from "../../../components/core/wire";
import { recordingOf, type ResourceSpec } from "../recordings";

const wide = { colors: false, columns: 120 };
const bucket = "aws:s3/bucket:Bucket";

const before: ResourceSpec[] = [
  { type: "lab:index:Environment", name: "lab", component: true, inputs: { nccl: "open", was: true } },
  { type: bucket, name: "old", parent: "lab", inputs: { a: 1 } },
];
const after: ResourceSpec[] = [
  { type: "lab:index:Environment", name: "lab", component: true, inputs: { nccl: "blocked", id: unknownSentinel } },
  { type: "lab:index:Operator", name: "operator", component: true, parent: "lab" },
  { type: bucket, name: "one", parent: "operator" },
  { type: bucket, name: "two", parent: "operator" },
  { type: "aws:kms/key:Key", name: "key", parent: "one" },
];

function difference(from: ResourceSpec[], to: ResourceSpec[]) {
  const plan = (specs: ResourceSpec[], stack: string, usdPerHour: number, complete: boolean) => ({
    ...comparableRecording(recordingOf(specs, { stack })),
    atRest: { usdPerHour, complete },
    inUse: { usdPerHour: 1, complete: true },
  });
  return differenceOf(plan(from, "gpu-lab", 0.25, true), plan(to, "nccl-block", 0.3, false));
}

test("the text lists removed, added and changed resources", () => {
  expect(renderDiffText(difference(before, after), wide)).toMatchInlineSnapshot(`
    "From gpu-lab to nccl-block: 1 removed, 4 added, 1 changed, 1 unchanged

    - Bucket old
    + Operator operator containing 2 Bucket, Key
    ~ Environment lab
    +     id: (known after the update)
          nccl: "open" -> "blocked"
    -     was: true

    Cost at rest, in USD per hour: 0.2500 -> at least 0.3000
    Cost in use, in USD per hour: 1.0000, unchanged
    "
  `);
});

test("a warning that prices are old follows the cost", () => {
  const compared = { ...difference(before, after), priceWarning: "Prices are old." };
  expect(renderDiffText(compared, wide)).toMatch(/\n\nCost at rest.*\nCost in use.*\nWarning: Prices are old\.\n$/);
  expect(renderDiffMarkdown(compared)).toMatch(/\n\nCost in use.*\n\nWarning: Prices are old\.\n$/);
});

test("equal plans take one line", () => {
  const { atRest: _, inUse: __, ...equal } = difference(before, before);
  expect(renderDiffText(equal, wide)).toMatchInlineSnapshot(`
    "gpu-lab and nccl-block are equal: 3 resources
    "
  `);
});

const [known, lowerBound, unpriced] = [
  { usdPerHour: 1, complete: true },
  { usdPerHour: 0.3, complete: false },
  { usdPerHour: 0, complete: false },
];
test.for([
  ["equal", known, known, ": 1.0000, unchanged"],
  ["a lower bound", known, lowerBound, ": 1.0000 -> at least 0.3000"],
  ["unknown", known, unpriced, ": 1.0000 -> unknown"],
] as const)("costs: %s", ([, from, to, expected]) => {
  const lines = renderDiffText({ ...difference(before, before), atRest: { from, to } }, wide)
    .trimEnd()
    .split("\n");
  expect(lines.at(-2)?.endsWith(expected)).toBe(true);
});

test("a resource with another name has its previous name", () => {
  const from: ResourceSpec[] = [{ type: "lab:index:Environment", name: "lab", component: true, inputs: { a: 1 } }];
  const to: ResourceSpec[] = [{ type: "lab:index:Environment", name: "lab-2", component: true, inputs: { a: 2 } }];
  expect(renderDiffText(difference(from, to), wide)).toContain("~ Environment lab-2 (was lab)\n      a: 1 -> 2");
});

test("long values and narrow terminals shorten a line, never wrap it", () => {
  const to = [{ ...(before[0] as ResourceSpec), inputs: { nccl: "x".repeat(300) } }, before[1] as ResourceSpec];
  const lines = renderDiffText(difference(before, to), { colors: false, columns: 60 }).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBe(60);
  expect(lines.find((line) => line.includes("nccl"))).toHaveLength(60);
});

test("the cost wraps on a narrow terminal", () => {
  const sum = { usdPerHour: 0.25, complete: true };
  const priced = { ...difference(before, after), atRest: { from: sum, to: sum } };
  const lines = renderDiffText(priced, { colors: false, columns: 40 }).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
  expect(lines.join(" ")).toContain("per hour: 0.2500, unchanged");
});

test("colors follow the sign", () => {
  const text = renderDiffText(difference(before, after), { colors: true, columns: 100 });
  expect(text).toContain("\u001b[31m- Bucket old\u001b[39m");
  expect(text).toContain("\u001b[32m+ Operator operator");
  expect(text).toContain("\u001b[33m~ Environment lab\u001b[39m");
});

test("a comment has the same lines in a block that GitHub colors", () => {
  const text = renderDiffText(difference(before, after), wide);
  const comment = renderDiffMarkdown(difference(before, after));
  const [summary, block, costs = ""] = text
    .trimEnd()
    .replace(/^~/gm, "!")
    .replaceAll("0 -> at", "0 -\\> at")
    .split("\n\n");
  expect(comment).toBe(`### ${summary}\n\n\`\`\`diff\n${block}\n\`\`\`\n\n${costs.replace("\n", "\n\n")}\n`);
});

test("a comment on equal plans has no empty block", () => {
  expect(renderDiffMarkdown(difference(before, before))).not.toContain("```");
});

test("a value cannot end the block early", () => {
  const to = [{ ...(before[0] as ResourceSpec), inputs: { nccl: "```` # heading" } }, before[1] as ResourceSpec];
  const comment = renderDiffMarkdown(difference(before, to));
  expect(comment).toContain("`````diff\n");
  expect(comment.match(/^`````$/gm)).toHaveLength(1);
});

test("a comment stays within GitHub's limit and counts the missing lines", () => {
  const many = Array.from({ length: 3000 }, (_, index): ResourceSpec => ({
    type: bucket,
    name: `bucket-with-a-long-name-${index}`,
  }));
  const comment = renderDiffMarkdown(difference([], many));
  expect(comment.length).toBeLessThanOrEqual(65_536);
  const shown = comment.match(/^\+ Bucket/gm)?.length ?? 0;
  expect(comment).toContain(`\n${3000 - shown} more lines not shown`);
});
