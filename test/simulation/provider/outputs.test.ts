import { expect, test } from "vitest";
import { unknownSentinel } from "../../../components/core/wire";
import { deepMerge, withValueAt } from "../../../simulation/provider/resources/outputs";

const properties = { a: { b: [{ c: 1 }] }, unknown: unknownSentinel, text: "x" };

test.for([
  ["new", { ...properties, new: 2 }],
  ["a.x.y", { ...properties, a: { ...properties.a, x: { y: 2 } } }],
  ["unknown.b", properties],
  ["text.b", properties],
] as const)("withValueAt %s", ([path, changed]) => {
  expect(withValueAt(properties, path, 2)).toEqual(changed);
});

test("deepMerge merges objects, and replaces lists and strings", () => {
  expect(deepMerge({ a: { b: 1, c: [1] }, d: "x", e: { f: 1 } }, { a: { c: [2, 3] }, d: { g: 1 }, e: "y" })).toEqual({
    a: { b: 1, c: [2, 3] },
    d: { g: 1 },
    e: "y",
  });
});
