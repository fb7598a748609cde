import fc from "fast-check";
import { expect, test } from "vitest";
import { aligned, pageWidth, shortened, wrapped } from "../../../components/core/text";

test.for([
  ["nothing", "", 10, [""]],
  ["what fits", "one two", 7, ["one two"]],
  ["at a space", "one two three", 8, ["one two", "three"]],
  ["a word that is too long is cut", "abcdefghij k", 4, ["abcd", "efgh", "ij k"]],
] as const)("wrapping: %s", ([, text, width, lines]) => expect(wrapped(text, width)).toEqual(lines));

test("no wrapped line is wider than asked, and no word is lost", () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z]{0,12}$/), { maxLength: 20 }),
      fc.integer({ min: 1, max: 30 }),
      (words, width) => {
        const lines = wrapped(words.join(" "), width);
        expect(lines.every((line) => line.length <= width)).toBe(true);
        expect(lines.join("").replaceAll(" ", "")).toBe(words.join(""));
      },
    ),
  );
});

test("shortening keeps what fits and marks what is missing", () => {
  expect(shortened("gpu-lab", 7)).toBe("gpu-lab");
  expect(shortened("gpu-lab-vpc", 7)).toBe("gpu-...");
});

test("columns are as wide as their widest cell, the flexible one wraps and keeps its indent", () => {
  const rows = [
    ["zone", "1", "  ap-northeast-2a and more"],
    ["capacity", "20", "short"],
  ];
  const lines = aligned(rows, [{}, { align: "right" }, { flexible: true }], 32);
  expect(lines).toEqual(["zone       1    ap-northeast-2a", "                and more", "capacity  20  short"]);
});

test("a flexible column without room for names has lines of its own, below the first column or above the others", () => {
  const tree = [["  GpuNodeGroup gpu", "13", "LaunchTemplate, NodeGroup, Role"]];
  expect(aligned(tree, [{}, { align: "right" }, { flexible: true }], 36)).toEqual([
    "  GpuNodeGroup gpu  13",
    "      LaunchTemplate, NodeGroup,",
    "      Role",
  ]);
  const sums = [
    ["t3.medium, on demand", "2 instances", "0.1040"],
    ["total", "", "0.1040"],
    ["", "", "x"],
  ];
  expect(aligned(sums, [{ flexible: true }, {}, { align: "right" }], 28)).toEqual([
    "t3.medium, on demand",
    "         2 instances  0.1040",
    "total",
    "                      0.1040",
    "                           x",
  ]);
});

test.for([
  [20, 40],
  [40, 40],
  [72, 72],
  [300, 100],
] as const)("a terminal of %i columns has a report of %i", ([columns, width]) => {
  expect(pageWidth(columns)).toBe(width);
});

test("a row with missing cells is filled up", () => {
  expect(aligned([["a", "b"], ["c"]], [{}, {}], 20)).toEqual(["a  b", "c"]);
});

test("a word that stays whole, such as an ID, exceeds the width", () => {
  const id = "https://sqs.ap-northeast-2.amazonaws.com/123456789012/myeks-lease-2026";
  expect(wrapped(`queue ${id} of a lease`, 30, { whole: true })).toEqual(["queue", id, "of a lease"]);
  const rows = [["SQS queue", `${id} (empty)`]];
  const lines = ["SQS queue", `    ${id}`, "    (empty)"];
  expect(aligned(rows, [{}, { flexible: true, whole: true }], 30)).toEqual(lines);
});
