import { describe, expect, expectTypeOf, test } from "vitest";
import { InputError, lab, pack, resourceRule, type Pack } from "../../../policies";
import { room, shelves } from "../support/sample-rules";

const about = { name: "acme", version: "1.0.0", description: "Rules of Acme." };
const shop = pack({
  ...about,
  rules: [
    { rule: shelves, level: "mandatory" },
    { rule: room, level: "advisory" },
  ],
});
const levels = ({ rules }: Pack) => rules.map(({ rule, level }) => [rule.id, level]);

/** The problems of a definition that the compiler would reject. */
function problemsOf(definition: object): string[] {
  try {
    pack(definition as never);
  } catch (error) {
    if (InputError.is(error)) return error.message.split("\n");
  }
  return [];
}

describe("a pack", () => {
  test("has the rules of another without some, and its own", () => {
    const own = resourceRule({ ...shelves, id: "own-shelves", parameters: {}, judge: () => [] });
    const acme = pack({
      ...about,
      extends: lab,
      without: ["gpu-single-az", "cluster-logging"],
      rules: [{ rule: own, level: "mandatory" }],
    });
    const left = levels(lab).filter(([id]) => id !== "gpu-single-az" && id !== "cluster-logging");
    expect(levels(acme)).toEqual([...left, ["own-shelves", "mandatory"]]);
    expect(acme).toMatchObject(about);
  });

  test("changes levels and parameters; the engine gets the same defaults, and the other pack keeps its own", () => {
    const acme = pack({
      ...about,
      extends: shop,
      settings: { all: "advisory", shelves: { enforcementLevel: "disabled", most: 7 } },
    });
    expect(levels(acme)).toEqual([
      ["shelves", "disabled"],
      ["room", "advisory"],
    ]);
    const [changed] = acme.rules;
    expect(changed?.rule.parameters["most"]).toMatchObject({ default: 7, schema: { type: "integer", default: 7 } });
    expect(changed?.rule.parameters["exempt"]).toBe(shelves.parameters.exempt);
    expect([changed?.rule.id, changed?.rule.judge]).toEqual([shelves.id, shelves.judge]);
    expect(shelves.parameters.most).toMatchObject({ default: 3, schema: { default: 3 } });
    expect(acme.rules[1]?.rule).toBe(room);
  });

  test("a level without parameters leaves the rule as it is", () => {
    expect(pack({ ...about, extends: shop, settings: { shelves: "advisory" } }).rules[0]).toEqual({
      rule: shelves,
      level: "advisory",
    });
  });

  test("its type has the names and parameters of its rules", () => {
    const [entry] = pack({ ...about, extends: shop, without: ["room"] }).rules;
    expectTypeOf(entry?.rule.id).toEqualTypeOf<"shelves" | undefined>();
    expectTypeOf<(typeof lab.rules)[number]["rule"]["id"]>().toExtend<string>();
    expectTypeOf<string>().not.toExtend<(typeof lab.rules)[number]["rule"]["id"]>();
    // @ts-expect-error: the pack has no such rule
    expect(() => pack({ ...about, extends: shop, without: ["rom"] })).toThrow("did you mean room?");
    // @ts-expect-error: the rule has no such parameter
    expect(() => pack({ ...about, extends: shop, settings: { shelves: { least: 1 } } })).toThrow("no parameter");
    // @ts-expect-error: the parameter is a number
    expect(() => pack({ ...about, extends: shop, settings: { shelves: { most: "7" } } })).toThrow("whole number");
    // @ts-expect-error: the rule is left out
    expect(() => pack({ ...about, extends: shop, without: ["room"], settings: { room: "advisory" } })).toThrow("room");
  });
});

describe("mistakes are reported together", () => {
  test("of the form", () => {
    const wrong = { name: "a b", version: 1, extend: shop, rules: [{ rule: {}, level: "mandatry" }] };
    expect(problemsOf(wrong)).toMatchSnapshot();
  });

  test("of names and values", () => {
    const wrong = {
      ...about,
      extends: shop,
      without: ["shelfs"],
      rules: [{ rule: room, level: "mandatory" }],
      settings: { rom: "advisory", shelves: { most: 0, least: 1, enforcementLevel: "strict" } },
    };
    expect(problemsOf(wrong)).toMatchSnapshot();
  });

  test.for(["Upper", "all", ""])("of a rule's name: %s", (id) => {
    const rule = resourceRule({ ...shelves, id, parameters: {}, judge: () => [] });
    expect(problemsOf({ ...about, rules: [{ rule, level: "advisory" }] })).toEqual([
      "policy pack acme: 1 problem in the input",
      expect.stringContaining("rules[0].rule.id: got "),
      "    fix: rename the rule",
    ]);
  });

  test("of a definition that is none", () => {
    expect(problemsOf([])[0]).toBe("policy pack without a name: 1 problem in the input");
  });
});
