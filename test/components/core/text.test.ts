import fc from "fast-check";
import { expect, test } from "vitest";
import { aligned, shortened, wrapped } from "../../../components/core/text";

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

test("a row with missing cells is filled up", () => {
  expect(aligned([["a", "b"], ["c"]], [{}, {}], 20)).toEqual(["a  b", "c"]);
});
