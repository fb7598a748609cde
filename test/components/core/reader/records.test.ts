import fc from "fast-check";
import { expect, test } from "vitest";
import { deepMerge, isRecord, ownValue } from "../../../../components/core/reader/records";
import type { JsonObject } from "../../../../components/gpu/operator/values";

test.each<[string, JsonObject, JsonObject, JsonObject]>([
  ["objects merge", { a: { b: 1, c: 2 } }, { a: { c: 3, d: 4 } }, { a: { b: 1, c: 3, d: 4 } }],
  ["lists replace", { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ["a value replaces an object", { a: { b: 1 } }, { a: false }, { a: false }],
  ["an object replaces a value", { a: false }, { a: { b: 1 } }, { a: { b: 1 } }],
  ["null stays null", { a: { b: 1 } }, { a: null }, { a: null }],
  ["an empty object changes nothing", { a: 1 }, {}, { a: 1 }],
])("%s", (_, under, over, merged) => expect(deepMerge(under, over)).toEqual(merged));

test("a merge changes neither document, and the second wins everywhere", () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => value as JsonObject);
  fc.assert(
    fc.property(json, json, (under, over) => {
      const before = JSON.stringify([under, over]);
      const merged = deepMerge(under, over);
      expect(JSON.stringify([under, over])).toBe(before);
      expect(deepMerge(merged, over)).toEqual(merged);
      expect(Object.keys(merged).sort()).toEqual([...new Set([...Object.keys(under), ...Object.keys(over)])].sort());
    }),
  );
});

test("a key of the prototype is a key like any other", () => {
  const merged = deepMerge({}, JSON.parse('{"__proto__": {"polluted": true}}') as JsonObject);
  expect(Object.keys(merged)).toEqual(["__proto__"]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test.each([
  [{}, true],
  [[], false],
  [null, false],
  ["text", false],
  [undefined, false],
])("isRecord %j: %s", (value, verdict) => expect(isRecord(value)).toBe(verdict));

test("an own value is found, an inherited one is not", () => {
  const own = { own: 1, nothing: undefined };
  expect(["own", "nothing", "missing", "constructor", "__proto__"].map((key) => ownValue(own, key))).toEqual([
    1,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(ownValue({ constructor: "own" }, "constructor")).toBe("own");
});
