import { expect, test } from "vitest";
import { valueAt, valuesAt } from "../../../../components/core/reader/paths";
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

test.for<[string, unknown]>([
  ["template", properties.template],
  ["template.rules.0.port", 1],
  ["template.rules.9.port", undefined],
  ["template.missing.path", undefined],
  ["id.length", undefined],
  ["toString", undefined],
  ["unknown", unknownSentinel],
  ["unknown.path", unknownSentinel],
])("valueAt %s", ([path, value]) => {
  expect(valueAt(properties, path)).toEqual(value);
});
