import { expect, test } from "vitest";
import { join, step, valueAt, valuesAt } from "../../../../components/core/reader/paths";
import { unknownSentinel } from "../../../../components/core/wire";

const properties = {
  id: "a",
  none: null,
  subnetIds: ["s1", null, "s2"],
  template: { id: "lt", rules: [{ port: 1 }, { port: 2 }, "text"] },
  unknown: unknownSentinel,
};

test.for<[string, unknown[]]>([
  ["id", ["a"]],
  ["template.id", ["lt"]],
  ["subnetIds", [["s1", null, "s2"]]],
  ["subnetIds[*]", ["s1", "s2"]],
  ["template.rules[*].port", [1, 2]],
  ["template[*]", []],
  ["none", []],
  ["missing.path", []],
  ["id.length", []],
  ["toString", []],
])("valuesAt %s", ([path, values]) => {
  expect(valuesAt(properties, path)).toEqual(values);
});

test.for<[string | readonly string[], unknown]>([
  ["template", properties.template],
  ["template.rules.0.port", 1],
  ["template.rules.9.port", undefined],
  ["template.missing.path", undefined],
  [["template", "rules", "0", "port"], 1],
  [[], properties],
  ["id.length", undefined],
  ["toString", undefined],
  ["unknown", unknownSentinel],
  ["unknown.path", unknownSentinel],
])("valueAt %s", ([path, value]) => {
  expect(valueAt(properties, path)).toEqual(value);
});

test("join leaves out an empty parent", () => {
  expect([join("", "a"), join("a", "b.c")]).toEqual(["a", "a.b.c"]);
});

test("step quotes keys with other characters", () => {
  const keys = ["b", "b-c", 0, "b.c", 'b"c', ""];
  expect(keys.map((key) => step("a", key))).toEqual(["a.b", "a.b-c", "a[0]", 'a["b.c"]', 'a["b\\"c"]', 'a[""]']);
  expect(step("", "b.c")).toBe('["b.c"]');
});
