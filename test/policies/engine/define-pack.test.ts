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

function pathsOf(definition: object): string[] {
  return problemsOf(definition).flatMap((line) => /^ {2}(\S+): /.exec(line)?.[1] ?? []);
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

  test("of the form of one argument, and of names and values in the others", () => {
    const wrong = { ...about, version: 1, extends: shop, without: ["shelfs"], settings: { rom: "advisory" } };
    expect(pathsOf(wrong)).toEqual(["version", "without[0]", "settings.rom"]);
    expect(pathsOf({ ...wrong, extends: {} })).toEqual(["version", "extends"]);
  });

  test("of a pack without rules", () => {
    expect(problemsOf(about)).toMatchInlineSnapshot(`
      [
        "1 problem with policy pack acme:",
        "  rules: the default is []. The pack has no rules.",
        "    fix: add a rule to rules, or set extends to a pack such as lab",
      ]
    `);
    expect(pathsOf({ ...about, extends: shop, without: ["shelves", "room"] })).toEqual(["rules"]);
  });

  test("of rules that are left out", () => {
    const rules = [{ rule: room, level: "mandatory" }];
    const fewer = pack({ ...about, extends: shop, without: ["shelves"] });
    const more = pack({ ...about, extends: fewer, without: [] });
    expect([
      ...problemsOf({ ...about, without: ["shelves", "gone"], rules }),
      ...problemsOf({ ...about, extends: shop, without: ["room"], settings: { room: "advisory" } }),
      ...problemsOf({ ...about, extends: more, settings: { shelves: "advisory" } }),
    ]).toMatchInlineSnapshot(`
      [
        "1 problem with policy pack acme:",
        "  without: got ["shelves","gone"]. The pack does not extend another pack.",
        "    fix: set extends to a pack such as lab, or remove without",
        "1 problem with policy pack acme:",
        "  settings.room: got "advisory". The pack leaves this rule out.",
        "    fix: remove settings.room",
        "1 problem with policy pack acme:",
        "  settings.shelves: got "advisory". The pack leaves this rule out.",
        "    fix: remove settings.shelves",
      ]
    `);
  });

  const mistakes = {
    id: ["Upper", "all", "", 1],
    title: [undefined, 1],
    severity: ["hgh", undefined],
    incident: [undefined],
    types: [undefined, [], "shop:index:Cupboard", [1], ["Cupboard"], ["aws:s3:Bucket"], ["aws:s3/bucket"]],
    parameters: [{ most: 3 }, 3],
    judge: [undefined],
  };
  test.for(Object.entries(mistakes).flatMap(([field, values]) => values.map((value) => [field, value] as const)))(
    "of the field %s of a rule, which is %j",
    ([field, value]) => {
      const rule = { ...room, [field]: value };
      const [path, ...others] = pathsOf({ ...about, rules: [{ rule, level: "advisory" }] });
      expect(path).toMatch(new RegExp(`^rules\\[0\\]\\.rule\\.${field}\\b`));
      expect(others).toEqual([]);
    },
  );

  test("of several fields of a rule", () => {
    const rule = { ...shelves, id: "Upper", types: ["aws:s3:Bucket", "Bucket", "aws:s3"], judge: 1, severity: "hgh" };
    expect(problemsOf({ ...about, rules: [{ rule, level: "advisory" }, { rule: room.judge }] }).join("\n"))
      .toMatchInlineSnapshot(`
      "8 problems with policy pack acme:
        rules[0].rule.id: got "Upper". Must be lowercase letters, digits and hyphens, but not all, which means every rule.
          fix: rename the rule
        rules[0].rule.severity: got "hgh". Must be one of "critical", "high", "medium", "low".
          fix: set rules[0].rule.severity to one of "critical", "high", "medium", "low"
        rules[0].rule.types[0]: got "aws:s3:Bucket". Is not a resource type, such as aws:s3/bucket:Bucket or eks:index:Cluster.
          fix: did you mean aws:s3/bucket:Bucket?
        rules[0].rule.types[1]: got "Bucket". Is not a resource type, such as aws:s3/bucket:Bucket or eks:index:Cluster.
          fix: set rules[0].rule.types[1] to the type in the URN of the resource
        rules[0].rule.types[2]: got "aws:s3". Is not a resource type, such as aws:s3/bucket:Bucket or eks:index:Cluster.
          fix: set rules[0].rule.types[2] to the type in the URN of the resource
        rules[0].rule.judge: got 1. Must be a function.
          fix: set rules[0].rule.judge to a generator that yields failIf() or adviseIf()
        rules[1].rule: got function. Must be a rule.
          fix: make rules[1].rule with resourceRule() or stackRule()
        rules[1].level: Must be set.
          fix: set rules[1].level to one of "mandatory", "advisory", "disabled""
    `);
  });

  test.for([
    "aws:eks/nodeGroup:NodeGroup",
    "aws:ec2transitgateway/peeringAttachment:PeeringAttachment",
    "eks:index:Cluster",
    "eks-gpu-lab:index:GpuNodeGroup",
    "kubernetes:apps/v1:Deployment",
    "kubernetes:helm.sh/v3:Release",
    "kubernetes:yaml/v2:ConfigGroup",
    "aws-native:s3:Bucket",
    "pulumi:providers:aws",
    "acme:Lab",
  ])("the type %s is none", (type) => {
    const rule = { ...shelves, types: [type] };
    expect(problemsOf({ ...about, rules: [{ rule, level: "advisory" }] })).toEqual([]);
  });

  test("of a definition that is none", () => {
    expect(problemsOf([])[0]).toBe("1 problem with policy pack without a name:");
  });
});
