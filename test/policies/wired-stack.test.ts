import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { policiesOf } from "../../policies/engine/crossguard";
import type { AnalyzedResource } from "../../policies/engine/judge";
import { Resource, Stack, surroundings } from "../../policies/engine/resource";
import { valuesOf } from "../../policies/engine/parameters";
import type { Check, StackRule } from "../../policies/engine/rule";
import { lab } from "../../policies/packs/lab/rules";
import { analyzeRequest, analyzerOf, diagnostics, stackRequest } from "./support/analyzer";
import { unknown } from "./support/verdicts";
import { sayAll, somePlaces, spoiltStack, stackRules, weights, wired, withPlace } from "./support/wired";

describe("a whole cluster whose parts refer to each other", () => {
  test("nothing refers to what is not there, and every rule on the stack finds a type to judge", () => {
    const urns = new Set(wired.map(({ urn }) => urn));
    const links = wired.flatMap(({ propertyDependencies = {} }) => Object.values(propertyDependencies).flat());
    expect(urns.size).toBe(wired.length);
    expect(links.filter((urn) => !urns.has(urn))).toEqual([]);
    const idle = stackRules.filter(({ types }) => !wired.some(({ type }) => types.includes(type)));
    expect(idle.map(({ id }) => id)).toEqual([]);
  });

  test("a value that becomes unknown takes a verdict away, but never turns it", () => {
    const turned = new Set<string>();
    const said = new Set<string>();
    fc.assert(
      fc.property(spoiltStack, somePlaces, (stack, places) => {
        const before = weights(sayAll(stack));
        const after = weights(sayAll(places.reduce((to, place) => withPlace(to, place, unknown), stack)));
        for (const key of new Set([...before.keys(), ...after.keys()])) {
          const [first = "pass", then = "pass"] = [before.get(key), after.get(key)];
          if (first === "fail") said.add(key.split(" ")[0] ?? "");
          if (then !== first && then !== "unknown") turned.add(`${key}: ${first} to ${then}`);
        }
        expect([...turned]).toEqual([]);
      }),
      { numRuns: 300 },
    );
    // What never fails could not turn.
    expect(said.size).toBeGreaterThan(20);
  });

  test("the order of resources does not matter, nor does one that no rule judges", () => {
    const other: AnalyzedResource = { urn: "urn:other", type: "aws:s3/bucket:Bucket", name: "other", properties: {} };
    fc.assert(
      fc.property(spoiltStack, (stack) => {
        const said = sayAll(stack);
        expect(new Set(sayAll(stack.toReversed()).map(unordered))).toEqual(new Set(said.map(unordered)));
        expect(sayAll([other, ...stack])).toEqual(said);
      }),
      { numRuns: 100 },
    );
  });

  test("a rule on the stack reads no type but those that it names", () => {
    const spoke = new Set<string>();
    fc.assert(
      fc.property(spoiltStack, (spoilt) => {
        const all = spoilt.map((one) => new Resource(one));
        for (const rule of stackRules as readonly StackRule[]) {
          const own = faults(
            rule,
            all.filter(({ type }) => rule.types.includes(type)),
          );
          expect(faults(rule, all)).toEqual(own);
          if (own.length > 0) spoke.add(rule.id);
        }
      }),
      { numRuns: 100 },
    );
    expect(spoke.size).toBeGreaterThan(stackRules.length / 2);
  });
});

/** A message lists resources and values in the order in which the rule came upon them. */
function unordered({ rule, name, verdict, level, message }: ReturnType<typeof sayAll>[number]): string {
  return [rule, name, verdict, level, ...message.split(/\W+/).sort()].join(" ");
}

/** What a rule finds, past the filter by type that stands before every rule. */
function faults(rule: StackRule, resources: readonly Resource[]): string[] {
  const around = surroundings({ stack: "prod" });
  const checks: Iterable<Check> = rule.judge(new Stack(resources), valuesOf(rule.parameters, {}), around);
  return [...checks]
    .filter(({ condition }) => condition === true)
    .map(({ resource, violation }) => `${resource?.urn}: ${JSON.stringify(violation())}`);
}

describe("through the policy SDK and its proxies", () => {
  const broken = (said: readonly string[]) => said.filter((one) => /can't run|yyyy|hunter2/.test(one));
  // What the wire cannot carry never comes over it.
  const sendable = spoiltStack.filter((stack) => {
    const text = JSON.stringify(stack);
    return text.length < 100_000 && !/\\ud[89a-f]/i.test(text) && !text.includes('"__proto__"');
  });
  const onWire = (stack: readonly AnalyzedResource[]) =>
    stack.map((one) => ({ ...one, properties: JSON.parse(JSON.stringify(one.properties)) as Record<string, unknown> }));

  test("every policy can run on a spoilt stack: on each resource, on the whole, and to remediate", async () => {
    let said = 0;
    await fc.assert(
      fc.asyncProperty(sendable, async (spoilt) => {
        const stack = onWire(spoilt);
        const { analyze, analyzeStack, remediate } = analyzerOf(policiesOf(lab));
        for (const one of stack) {
          expect(broken(diagnostics(await analyze(analyzeRequest(one))))).toEqual([]);
          expect((await remediate(analyzeRequest(one))).getRemediationsList()).toEqual([]);
        }
        const ofInputs = diagnostics(await analyzeStack(stackRequest(stack)));
        const outputs = stack.map((one) => ({ ...one, properties: {} }));
        expect(broken(ofInputs)).toEqual([]);
        expect(diagnostics(await analyzeStack(stackRequest(outputs)))).toEqual(ofInputs);
        said += ofInputs.length;
      }),
      { numRuns: 10 },
    );
    expect(said).toBeGreaterThan(0);
  });
});
