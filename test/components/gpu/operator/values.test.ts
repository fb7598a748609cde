import fc from "fast-check";
import { expect, test } from "vitest";
import { isRecord } from "../../../../components/core/reader/records";
import { valueAt } from "../../../../components/core/chart-values";
import { mergeValues, type JsonObject } from "../../../../components/gpu/operator/values";

test.each<[string, JsonObject, JsonObject, JsonObject]>([
  ["objects merge", { a: { b: 1, c: 2 } }, { a: { c: 3, d: 4 } }, { a: { b: 1, c: 3, d: 4 } }],
  ["lists replace", { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ["a value replaces an object", { a: { b: 1 } }, { a: false }, { a: false }],
  ["an object replaces a value", { a: false }, { a: { b: 1 } }, { a: { b: 1 } }],
  ["null stays null", { a: { b: 1 } }, { a: null }, { a: null }],
  ["nothing laid over changes nothing", { a: 1 }, {}, { a: 1 }],
])("%s", (_, under, over, merged) => expect(mergeValues(under, over)).toEqual(merged));

test("a merge changes neither document, and what lies over wins everywhere", () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => value as JsonObject);
  fc.assert(
    fc.property(json, json, (under, over) => {
      const before = JSON.stringify([under, over]);
      const merged = mergeValues(under, over);
      expect(JSON.stringify([under, over])).toBe(before);
      expect(mergeValues(merged, over)).toEqual(merged);
      expect(Object.keys(merged).sort()).toEqual([...new Set([...Object.keys(under), ...Object.keys(over)])].sort());
    }),
  );
});

test("a key of the prototype is a key like any other", () => {
  const merged = mergeValues({}, JSON.parse('{"__proto__": {"polluted": true}}') as JsonObject);
  expect(Object.keys(merged)).toEqual(["__proto__"]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test.each([
  [["a", "b"], 1],
  [["a"], { b: 1 }],
  [[], { a: { b: 1 }, list: [1] }],
  [["a", "b", "c"], undefined],
  [["list", "0"], undefined],
  [["toString"], undefined],
])("valueAt %j", (path, value) => expect(valueAt({ a: { b: 1 }, list: [1] }, path)).toEqual(value));

test.each([
  [{}, true],
  [[], false],
  [null, false],
  ["text", false],
  [undefined, false],
])("isRecord %j: %s", (value, verdict) => expect(isRecord(value)).toBe(verdict));
