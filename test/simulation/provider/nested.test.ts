import { expect, test } from "vitest";
import { valueAt } from "../../../components/core/reader/paths";
import { unknownSentinel as unknown } from "../../../components/core/wire";
import { deepMerge, withValueAt } from "../../../simulation/provider/resources/outputs";

const properties = { a: { b: [{ c: 1 }] }, later: unknown, text: "x" };

test.for([
  ["a", properties.a],
  ["a.b.0.c", 1],
  ["a.b.1.c", undefined],
  ["a.x.y", undefined],
  ["text.length", undefined],
  ["toString", undefined],
  ["later", unknown],
  ["later.b", unknown],
] as const)("the value at %s", ([path, value]) => expect(valueAt(properties, path)).toEqual(value));

test.for([
  ["new", { ...properties, new: 2 }],
  ["a.x.y", { ...properties, a: { ...properties.a, x: { y: 2 } } }],
  ["later.b", properties],
  ["text.b", properties],
] as const)("another value at %s", ([path, changed]) => expect(withValueAt(properties, path, 2)).toEqual(changed));

test("objects are laid over each other, lists and texts replace each other", () => {
  expect(deepMerge({ a: { b: 1, c: [1] }, d: "x", e: { f: 1 } }, { a: { c: [2, 3] }, d: { g: 1 }, e: "y" })).toEqual({
    a: { b: 1, c: [2, 3] },
    d: { g: 1 },
    e: "y",
  });
});
