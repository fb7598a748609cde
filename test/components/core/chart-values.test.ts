import { output } from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { customValuesProblems, type ChartRules } from "../../../components/core/chart-values";

const rules: ChartRules = {
  chart: "Chart 1.2.3",
  keys: { driver: ["enabled", "image"], subchart: "object", extra: "any" },
  hasAllKeys: true,
  protected: [
    { paths: ["driver.enabled"], allows: (got) => got === false, why: "The image contains the driver." },
    { paths: ["subchart.password"], allows: () => false, why: "Plans would contain it.", isSecret: true },
  ],
  arguments: { "subchart.enabled": "subchart" },
  example: "{ extra: [] }",
};
const check = (values: unknown, changes: Partial<ChartRules> = {}) =>
  customValuesProblems(values, "chart.values", { ...rules, ...changes });

test.for<[string, unknown]>([
  ["nothing", {}],
  ["known keys", { driver: { enabled: false, image: "a" }, subchart: { any: { key: 1 } }, extra: "text" }],
  ["a key without a value", { typo: undefined }],
])("%s is accepted", ([, values]) => expect(check(values)).toEqual([]));

test("each kind of problem, with its words", () => {
  const values = {
    drivers: { password: "hunter2" },
    driver: { enabled: true, imgae: "a" },
    subchart: { enabled: true, password: "hunter2" },
  };
  expect(check(values).map(({ code, path, got, why, fix }) => [`${code} ${path}`, got, why, fix]))
    .toMatchInlineSnapshot(`
    [
      [
        "unknown-key chart.values.drivers",
        {},
        "Chart 1.2.3 has no such key. Helm silently ignores unknown keys.",
        "did you mean chart.values.driver?",
      ],
      [
        "unknown-key chart.values.driver.imgae",
        "a",
        "Chart 1.2.3 has no such key. Helm silently ignores unknown keys.",
        "did you mean chart.values.driver.image?",
      ],
      [
        "not-allowed chart.values.driver.enabled",
        true,
        "The image contains the driver.",
        "remove chart.values.driver.enabled",
      ],
      [
        "not-allowed chart.values.subchart.password",
        "a string",
        "Plans would contain it.",
        "remove chart.values.subchart.password",
      ],
      [
        "conflict chart.values.subchart.enabled",
        true,
        "The argument chart.subchart sets this value, and other resources depend on that argument.",
        "remove chart.values.subchart.enabled, and set chart.subchart",
      ],
    ]
  `);
  expect(check({ driver: null, extra: null })).toMatchInlineSnapshot(`
    [
      {
        "code": "wrong-type",
        "fix": "set individual keys of chart.values.driver",
        "got": null,
        "path": "chart.values.driver",
        "why": "Must be an object, as in the chart; any other value removes all settings of the section.",
      },
    ]
  `);
});

describe("values of another type", () => {
  test.for<[string, () => unknown]>([
    ["a string", () => "driver.enabled=false"],
    ["a list", () => []],
    ["null", () => null],
    ["an Output", () => output({})],
  ])("%s", ([, values]) => {
    expect(check(values())).toEqual([expect.objectContaining({ code: "wrong-type", path: "chart.values" })]);
  });
});

test.for<[string, boolean, readonly string[]]>([
  ["imge", true, ["chart.values.driver.imge"]],
  ["imge", false, ["chart.values.driver.imge"]],
  ["colour", true, ["chart.values.driver.colour"]],
  ["colour", false, []],
])("the key %s while the list of keys is complete: %s", ([key, hasAllKeys, paths]) => {
  expect(check({ driver: { [key]: 1 } }, { hasAllKeys }).map(({ path }) => path)).toEqual(paths);
});

test("names of methods are unknown keys", () => {
  expect(check({ constructor: {}, driver: { toString: 1 } }).map(({ path }) => path)).toEqual([
    "chart.values.constructor",
    "chart.values.driver.toString",
  ]);
});

test("garbage gives problems, never a TypeError", () => {
  fc.assert(fc.property(fc.anything(), (values) => void check(values)));
  fc.assert(fc.property(fc.anything(), (driver) => void check({ driver, subchart: driver })));
});
