import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { count, numbers, text, texts, valuesOf, type Parameter } from "../../../policies/engine/parameters";
import type { Pack } from "../../../policies/engine/pack";
import { PolicyConfigError, policyConfigProblems, settingsOf } from "../../../policies/engine/policy-config";
import { room, shelves } from "../support/sample-rules";

const pack: Pack = {
  name: "shop",
  version: "1.0.0",
  description: "",
  rules: [
    { rule: room, level: "mandatory" },
    { rule: shelves, level: "advisory" },
  ],
};

const minors = { pattern: "^1\\.\\d+$", of: "minors such as 1.35" };

describe("parameters", () => {
  const ajv = new Ajv();
  test("a message can say what each takes", () => {
    const plain = [texts([], "d"), text("", "d"), count(3, 1, "d"), numbers({}, "d")];
    const all = [...plain, texts([], "d", minors), numbers({}, "d", ["a", "b"])];
    expect(all.map(({ form }) => form)).toEqual([
      "a list of strings",
      "a string",
      "a whole number of 1 or more",
      "an object of whole numbers of 0 or more",
      "a list of minors such as 1.35",
      "an object of whole numbers of 0 or more for a, b",
    ]);
  });

  const cases: [string, () => Parameter<unknown>, unknown[], unknown[]][] = [
    ["texts", () => texts(["a"], "d"), [[], ["a", ""]], ["a", [1], {}, null, undefined, [null]]],
    ["text", () => text("a", "d"), ["", "b"], [1, null, undefined, ["a"], {}]],
    ["count", () => count(3, 1, "d"), [1, 99], [0, -1, 1.5, "3", null, undefined, [3], {}]],
    [
      "numbers",
      () => numbers({ a: 1 }, "d"),
      [{}, { b: 0, c: 15 }],
      [[], "a", null, undefined, { a: "1" }, { a: -1 }, { a: 1.5 }],
    ],
    ["named numbers", () => numbers({ a: 1 }, "d", ["a", "b"]), [{}, { b: 0 }], [{ c: 1 }, { toString: 1 }, { a: -1 }]],
    [
      "texts, formed",
      () => texts(["1.35"], "d", minors),
      [[], ["1.9", "1.35"]],
      [["v1.35"], ["1.35 "], [1.35], "1.35"],
    ],
  ];
  test.for(cases)("%s: the code accepts what the schema accepts", ([, make, good, bad]) => {
    const parameter = make();
    const validate = ajv.compile(parameter.schema);
    for (const value of [parameter.default, ...good])
      expect([value, parameter.accepts(value), validate(value)]).toEqual([value, true, true]);
    for (const value of bad) expect([value, parameter.accepts(value), validate(value)]).toEqual([value, false, false]);
    expect(parameter.schema.default).toEqual(parameter.default);
    expect(parameter.schema.description).toBe("d");
  });

  test("what is not configured, or wrongly, has its default", () => {
    const parameters = { most: count(3, 1, "d"), names: texts(["a"], "d") };
    expect(valuesOf(parameters, {})).toEqual({ most: 3, names: ["a"] });
    expect(valuesOf(parameters, { most: 4, names: "b", other: 1 })).toEqual({ most: 4, names: ["a"] });
    expect(valuesOf(parameters, JSON.parse('{"__proto__":{"most":9}}') as object)).toEqual({ most: 3, names: ["a"] });
  });
});

test.for([
  [{}, []],
  [{ all: "advisory", shelves: "disabled", room: { enforcementLevel: "remediate", each: 3, exempt: ["a"] } }, []],
  [{ environments: ["x/y"] }, []],
  [{ shelfs: "disabled" }, ["unknown-key shelfs"]],
  [{ all: "optional" }, ["not-allowed all"]],
  [{ all: { most: 3 } }, ["unknown-key all.most"]],
  [{ shelves: "on", room: "toString" }, ["not-allowed shelves", "not-allowed room"]],
  [{ shelves: { enforcementLevel: 1 } }, ["not-allowed shelves.enforcementLevel"]],
  [
    { shelves: { most: "4", least: 1, exempt: "x" } },
    ["wrong-type shelves.most", "unknown-key shelves.least", "wrong-type shelves.exempt"],
  ],
  [{ shelves: null, room: ["mandatory"] }, ["wrong-type shelves", "wrong-type room"]],
  [JSON.parse('{"__proto__": "advisory"}') as object, ["unknown-key __proto__"]],
] as const)("a configuration %j has the problems %j", ([config, expected]) => {
  expect(policyConfigProblems(pack, { ...config }).map(({ code, path }) => `${code} ${path}`)).toEqual(expected);
});

test("every problem is in the error, with what to do", () => {
  const config = { shelfs: "disabled", shelves: { most: 0 }, all: { most: 1 } };
  const refused = expect(() => settingsOf(pack, config));
  refused.toThrow(PolicyConfigError);
  refused.toThrowErrorMatchingInlineSnapshot(`
    [Error: shelfs: got "disabled". The pack shop has no rule with this name.
      fix: did you mean shelves?
    shelves.most: got 0. Must be a whole number of 1 or more.
      fix: set shelves.most to a whole number of 1 or more
    all.most: got 1. For all rules, you can set only the level.
      fix: use one of enforcementLevel]
  `);
});

test("an entry of a rule wins over all", () => {
  const config = { all: "disabled", shelves: { enforcementLevel: "mandatory", most: 5 } };
  expect(settingsOf(pack, config).map(({ rule, level, configured }) => [rule.id, level, configured])).toEqual([
    ["room", "disabled", {}],
    ["shelves", "mandatory", { enforcementLevel: "mandatory", most: 5 }],
  ]);
});

test("the texts of each problem", () => {
  const config = { shelves: { least: 1, mots: 2, most: "4" }, room: ["mandatory"], all: { most: 3 }, shop: "advisory" };
  const problems = [...policyConfigProblems(pack, config), ...policyConfigProblems(pack, { room: "on" })];
  expect(new PolicyConfigError(problems).message).toMatchInlineSnapshot(`
    "shelves.least: got 1. The rule has no parameter with this name.
      fix: use one of enforcementLevel, most, exempt
    shelves.mots: got 2. The rule has no parameter with this name.
      fix: did you mean most?
    shelves.most: got "4". Must be a whole number of 1 or more.
      fix: set shelves.most to a whole number of 1 or more
    room: got ["mandatory"]. Must be a level or an object.
      fix: set room to a level, or to an object such as {"enforcementLevel": "advisory"}
    all.most: got 3. For all rules, you can set only the level.
      fix: use one of enforcementLevel
    shop: got "advisory". The pack shop has no rule with this name.
      fix: use one of room, shelves
    room: got "on". Must be one of mandatory, advisory, disabled.
      fix: set room to one of mandatory, advisory, disabled"
  `);
});

test("the error has a code", () => {
  expect(new PolicyConfigError([]).code).toBe("EKS_GPU_LAB_POLICY_CONFIG");
});

test("a rule's own level wins over that of all, and that over the pack's", () => {
  const levelsOf = (config: object) => settingsOf(pack, { ...config }).map(({ level }) => level);
  expect(levelsOf({})).toEqual(["mandatory", "advisory"]);
  expect(levelsOf({ all: "advisory" })).toEqual(["advisory", "advisory"]);
  expect(levelsOf({ all: "disabled", room: "remediate" })).toEqual(["mandatory", "disabled"]);
  expect(levelsOf({ room: { enforcementLevel: "advisory" } })).toEqual(["advisory", "advisory"]);
});
