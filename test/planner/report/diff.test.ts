import { expect, test } from "vitest";
import { differenceOf } from "../../../planner/diff/diff";
import { comparedRecording } from "../../../planner/diff/comparable-plan";
import { renderDiffMarkdown, renderDiffText } from "../../../planner/report/diff";
import { unknownSentinel } from "../../../components/core/wire";
import { recordingOf, type Sketch } from "../recordings";

const wide = { colors: false, columns: 120 };
const bucket = "aws:s3/bucket:Bucket";

const before: Sketch[] = [
  { type: "lab:index:Environment", name: "lab", component: true, inputs: { nccl: "open", was: true } },
  { type: bucket, name: "old", parent: "lab", inputs: { a: 1 } },
];
const after: Sketch[] = [
  { type: "lab:index:Environment", name: "lab", component: true, inputs: { nccl: "blocked", id: unknownSentinel } },
  { type: "lab:index:Operator", name: "operator", component: true, parent: "lab" },
  { type: bucket, name: "one", parent: "operator" },
  { type: bucket, name: "two", parent: "operator" },
  { type: "aws:kms/key:Key", name: "key", parent: "one" },
];

function difference(from: Sketch[], to: Sketch[]) {
  const plan = (sketches: Sketch[], stack: string, usdPerHour: number, complete: boolean) => ({
    ...comparedRecording(recordingOf(sketches, { stack })),
    atRest: { usdPerHour, complete },
  });
  return differenceOf(plan(from, "gpu-lab", 0.25, true), plan(to, "nccl-block", 0.3, false));
}

test("people read what goes, what comes with all that is in it, and what changes", () => {
  expect(renderDiffText(difference(before, after), wide)).toBe(
    [
      "From gpu-lab to nccl-block: 1 removed, 4 added, 1 changed, 1 equal",
      "",
      "- Bucket old",
      "+ Operator operator, and in it 2 Bucket, Key",
      "~ Environment lab",
      "+     id: (known at the update)",
      '      nccl: "open" -> "blocked"',
      "-     was: true",
      "",
      "Money at rest, in USD per hour: 0.2500 -> at least 0.3000",
      "",
    ].join("\n"),
  );
});

test("equal plans take one line", () => {
  const { atRest: _, ...equal } = difference(before, before);
  expect(renderDiffText(equal, wide)).toBe("gpu-lab and nccl-block are equal: 3 resources\n");
  expect(
    renderDiffText(
      { ...equal, atRest: { from: { usdPerHour: 1, complete: true }, to: { usdPerHour: 1, complete: true } } },
      wide,
    ),
  ).toContain("Money at rest, in USD per hour: 1.0000, as before");
});

test("a plan without any price has no amount to compare", () => {
  const { atRest: _, ...equal } = difference(before, before);
  const unpriced = { usdPerHour: 0, complete: false };
  const known = { usdPerHour: 1, complete: true };
  expect(renderDiffText({ ...equal, atRest: { from: known, to: unpriced } }, wide)).toContain(
    "Money at rest, in USD per hour: 1.0000 -> unknown",
  );
});

test("a resource found under another name says what it was called", () => {
  const from: Sketch[] = [{ type: "lab:index:Environment", name: "lab", component: true, inputs: { a: 1 } }];
  const to: Sketch[] = [{ type: "lab:index:Environment", name: "lab-2", component: true, inputs: { a: 2 } }];
  expect(renderDiffText(difference(from, to), wide)).toContain("~ Environment lab-2 (before: lab)\n      a: 1 -> 2");
});

test("long values and narrow terminals shorten a line, never break it", () => {
  const to = [{ ...(before[0] as Sketch), inputs: { nccl: "x".repeat(300) } }, before[1] as Sketch];
  const lines = renderDiffText(difference(before, to), { colors: false, columns: 60 }).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBe(60);
  expect(lines.find((line) => line.includes("nccl"))).toHaveLength(60);
});

test("colours follow the sign", () => {
  const text = renderDiffText(difference(before, after), { colors: true, columns: 100 });
  expect(text).toContain("\u001b[31m- Bucket old\u001b[39m");
  expect(text).toContain("\u001b[32m+ Operator operator");
  expect(text).toContain("\u001b[33m~ Environment lab\u001b[39m");
});

test("a comment shows the same in a block that GitHub colours", () => {
  expect(renderDiffMarkdown(difference(before, after))).toBe(
    [
      "### From gpu-lab to nccl-block: 1 removed, 4 added, 1 changed, 1 equal",
      "",
      "```diff",
      "- Bucket old",
      "+ Operator operator, and in it 2 Bucket, Key",
      "! Environment lab",
      "+     id: (known at the update)",
      '      nccl: "open" -> "blocked"',
      "-     was: true",
      "```",
      "",
      "Money at rest, in USD per hour: 0.2500 -\\> at least 0.3000",
      "",
    ].join("\n"),
  );
});

test("a comment on equal plans has no empty block", () => {
  expect(renderDiffMarkdown(difference(before, before))).not.toContain("```");
});

test("a value cannot end the block early", () => {
  const to = [{ ...(before[0] as Sketch), inputs: { nccl: "```` # heading" } }, before[1] as Sketch];
  const comment = renderDiffMarkdown(difference(before, to));
  expect(comment).toContain("`````diff\n");
  expect(comment.match(/^`````$/gm)).toHaveLength(1);
});

test("a comment stays within GitHub's limit and says how much is missing", () => {
  const many = Array.from({ length: 3000 }, (_, index): Sketch => ({
    type: bucket,
    name: `bucket-with-a-long-name-${index}`,
  }));
  const comment = renderDiffMarkdown(difference([], many));
  expect(comment.length).toBeLessThanOrEqual(65_536);
  const shown = comment.match(/^\+ Bucket/gm)?.length ?? 0;
  expect(comment).toContain(`${3000 - shown} more lines do not fit into a comment.`);
});
