import fc from "fast-check";
import { expect, test } from "vitest";
import { changesBetween } from "../../../planner/diff/property-changes";

test.for([
  ["equal values", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ["a changed leaf", { a: { b: 1 } }, { a: { b: 2 } }, [["a.b", 1, 2]]],
  ["a leaf that comes", { a: {} }, { a: { b: 2 } }, [["a.b", undefined, 2]]],
  ["a leaf that goes", { a: { b: 2 } }, { a: {} }, [["a.b", 2, undefined]]],
  ["a longer list", { a: ["x"] }, { a: ["x", "y"] }, [["a[1]", undefined, "y"]]],
  ["a shorter list", { a: ["x", "y"] }, { a: ["x"] }, [["a[1]", "y", undefined]]],
  ["another kind of value", { a: { b: 1 } }, { a: [1] }, [["a", { b: 1 }, [1]]]],
  ["keys that are no names", { t: { "a.b/c": 1 } }, { t: { "a.b/c": 2 } }, [['t["a.b/c"]', 1, 2]]],
  ["a key that objects inherit", {}, { constructor: 1 }, [["constructor", undefined, 1]]],
  [
    "JSON inside a text",
    { p: '{"S":[{"E":"Allow"}]}' },
    { p: '{"S": [{"E":"Deny"}]}' },
    [["p.S[0].E", "Allow", "Deny"]],
  ],
  ["JSON that is only written differently", { p: '{"a":1,"b":2}' }, { p: '{ "b": 2, "a": 1 }' }, []],
  ["a text that only looks like JSON", { p: "{a}" }, { p: "{b}" }, [["p", "{a}", "{b}"]]],
  ["JSON on one side only", { p: '{"a":1}' }, { p: "x" }, [["p", '{"a":1}', "x"]]],
  ["a text against an object", { p: '{"a":1}' }, { p: { a: 1 } }, [["p", '{"a":1}', { a: 1 }]]],
] as const)("%s", ([, from, to, expected]) => {
  expect(changesBetween(from, to).map((change) => [change.path, change.from, change.to])).toEqual(expected);
});

test("a value does not differ from itself, and the way back is the way there reversed", () => {
  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>;
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(changesBetween(a, structuredClone(a))).toEqual([]);
      const back = changesBetween(b, a).map(({ path, from, to }) => ({ path, from: to, to: from }));
      expect(changesBetween(a, b)).toEqual(back);
    }),
  );
});
