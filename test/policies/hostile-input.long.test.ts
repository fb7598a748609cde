import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { policiesOf } from "../../policies/engine/crossguard";
import { judge } from "../../policies/engine/judge";
import { isRecord } from "../../components/core/reader/records";
import { unknownSentinels } from "../../components/core/reader/truth";
import { lab } from "../../policies/packs/lab/rules";
import { analyzeRequest, analyzerOf, diagnostics } from "./support/analyzer";
import { hostileValues, missing, pathsOf, withValue } from "./support/hostile";
import { kinds, rulesFor, sampleOf, say, spoilt, types } from "./support/spoilt";
import { resource, unknown } from "./support/verdicts";

/** What the proxies tell apart: the kinds of values. Which texts and numbers a rule survives, the test of one value tells. */
const ofEachKind = [
  ...[missing, null, "", "x", 0, true, [], [[]], [{}], {}],
  ...hostileValues.filter((value) => isRecord(value) && Object.keys(value).length > 0),
  ...Object.values(unknownSentinels),
  [unknownSentinels.text],
];

describe("no input makes a rule throw, or print a text", () => {
  const secret = "hunter2";
  let cases = 0;

  test.for(kinds)("%s, one value spoilt", (type) => {
    const printed: string[] = [];
    for (const path of pathsOf(sampleOf(type))) {
      // Commands contain the name of a cluster and of a group.
      const isName = path.length === 1 && /^(clusterName|nodeGroupName|name)$/.test(String(path[0]));
      for (const put of [...hostileValues, ...(isName ? [] : [secret])]) {
        const said = JSON.stringify(say(type, withValue(sampleOf(type), path, put)));
        if (said.includes(secret) || said.includes("yyyy")) printed.push(`${path.join(".")}: ${said}`);
        cases++;
      }
    }
    expect(printed).toEqual([]);
  });

  // Several values spoilt: every-rule.test.ts judges hundreds of such resources of each type, and fails if a rule throws.

  test.for(types)("%s, any JSON at all", (type) => {
    const runs = 40;
    const json = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(json, (properties) => void say(type, properties)),
      { numRuns: runs },
    );
    cases += runs;
  });

  test("every pair of hostile sizes", () => {
    const spread = [missing, null, "2", "x", 0, -1, 1.5, Number.NaN, 1e9, 1e300, true, [], {}, unknown];
    for (const one of spread) {
      for (const other of spread) {
        const pairs = [
          { minSize: one, desiredSize: other, maxSize: 2 },
          { minSize: one, desiredSize: 0, maxSize: other },
          { minSize: 0, desiredSize: one, maxSize: other },
        ];
        for (const all of pairs) {
          const sizes = Object.entries(all).filter(([, size]) => size !== missing);
          say("aws:eks/nodeGroup:NodeGroup", { scalingConfig: Object.fromEntries(sizes) });
          cases++;
        }
      }
    }
  });

  test("rules on the whole stack, one resource of each type, some of them spoilt", () => {
    const stackRules = { ...lab, rules: lab.rules.filter(({ rule }) => rule.scope === "stack") };
    const stack = fc.tuple(
      ...types.map((type) => fc.oneof({ weight: 4, arbitrary: fc.constant(sampleOf(type)) }, spoilt(type))),
    );
    // In each of them, some twenty resources are spoilt.
    const runs = 20;
    fc.assert(
      fc.property(stack, (all) => {
        judge(
          stackRules,
          all.map((properties, index) => resource(types[index] as string, properties)),
        );
      }),
      { numRuns: runs },
    );
    cases += runs;
  });

  test("that makes more than 30,000 cases", () => {
    expect(cases).toBeGreaterThan(30_000);
  });

  test.for(kinds)("%s through the policy SDK and its proxies: every policy can run", async (type) => {
    const { analyze } = analyzerOf(policiesOf(rulesFor(type)));
    for (const path of pathsOf(sampleOf(type))) {
      for (const put of ofEachKind) {
        const properties = withValue(sampleOf(type), path, put) as Record<string, unknown>;
        const response = await analyze(analyzeRequest(resource(type, properties)));
        expect(diagnostics(response).filter((said) => said.includes("can't run"))).toEqual([]);
      }
    }
  });
});
