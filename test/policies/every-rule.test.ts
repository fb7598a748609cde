import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judge, type Finding } from "../../policies/engine/judge";
import { unknownSentinels } from "../../components/core/reader/truth";
import { lab } from "../../policies/packs/lab/rules";
import { pathsOf, withValue, type Key } from "./support/hostile";
import { samples } from "./support/samples";
import { kinds, sampleOf, say, spoilt, types } from "./support/spoilt";
import { resource, unknown } from "./support/verdicts";

const rules = lab.rules.map(({ rule }) => rule);

describe("every rule", () => {
  test.for(rules)("$id explains itself", (rule) => {
    expect(rule.id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)+$/);
    expect(rule.title).toMatch(/^[A-Z].*\.$/);
    expect(rule.incident).toMatch(/^[a-z].{30,}[^.]$/);
    expect(rule.types.length).toBeGreaterThan(0);
    for (const parameter of Object.values(rule.parameters)) {
      expect(parameter.schema.default).toEqual(parameter.default);
      expect(new Ajv().validate(parameter.schema, parameter.default)).toBe(true);
      expect(parameter.schema.description).toMatch(/^[A-Z].*\.$/);
      expect(parameter.accepts(parameter.default)).toBe(true);
    }
  });

  test("ids differ", () => {
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  });

  test.for(types)("%s has a sample that no mandatory rule objects to", (type) => {
    expect(samples).toHaveProperty([type]);
    expect(say(type, sampleOf(type)).filter(({ level }) => level === "mandatory")).toEqual([]);
  });
});

/** The heaviest thing that was said. */
function verdictOf(findings: readonly Finding[]): "fail" | "unknown" | "advice" | "pass" {
  if (findings.some(({ verdict, level }) => verdict === "fail" && level === "mandatory")) return "fail";
  if (findings.some(({ verdict }) => verdict === "unknown")) return "unknown";
  return findings.length > 0 ? "advice" : "pass";
}

/** A sample with few values needs fewer runs. */
function runsFor(type: string, most: number): number {
  return Math.min(most, Math.ceil((most * pathsOf(sampleOf(type)).length) / 15));
}

describe("a value that becomes unknown takes a verdict away, but never turns it", () => {
  // No rule throws, either, where several values are spoilt.
  test.for(kinds)("%s", (type) => {
    const paths = pathsOf(sampleOf(type));
    const later = fc.array(fc.constantFrom(...paths), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(spoilt(type), later, (properties, unknownPaths) => {
        const before = verdictOf(say(type, properties));
        const hidden = unknownPaths.reduce((to: unknown, path) => withValue(to, path, unknown), properties);
        const after = verdictOf(say(type, hidden));
        expect([before, "unknown"]).toContain(after);
      }),
      { numRuns: runsFor(type, 100) },
    );
  });

  test.for(kinds)("%s, all kinds of unknown are the same", (type) => {
    for (const path of pathsOf(sampleOf(type))) {
      const said = Object.values(unknownSentinels).map((kind) => say(type, withValue(sampleOf(type), path, kind)));
      for (const other of said) expect(other).toEqual(said[0]);
    }
  });
});

describe("what does not matter changes nothing", () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, item]) => [key, reversed(item)]),
    );
  };

  test.for(kinds)("%s: the order of keys and an unknown key", (type) => {
    fc.assert(
      fc.property(spoilt(type), (properties) => {
        // A component without any input has children to judge instead.
        fc.pre(Object.keys(properties).length > 0);
        const said = say(type, properties);
        expect(say(type, reversed(properties))).toEqual(said);
        expect(say(type, { ...properties, somethingElse: [1] })).toEqual(said);
      }),
      { numRuns: runsFor(type, 40) },
    );
  });

  test("the order of resources, and one that no rule judges", () => {
    const bad = (type: string, path: readonly Key[], put: unknown, name: string) =>
      resource(type, withValue(sampleOf(type), path, put) as Record<string, unknown>, { name });
    const stack = [
      bad("eks-gpu-lab:index:GpuNodeGroup", ["maxSize"], 0, "a"),
      bad("aws:eks/nodeGroup:NodeGroup", ["scalingConfig", "desiredSize"], 3, "b"),
      bad("kubernetes:helm.sh/v3:Release", ["version"], "latest", "c"),
    ];
    const said = judge(lab, stack);
    expect(said.length).toBeGreaterThan(3);
    expect(new Set(judge(lab, stack.toReversed()))).toEqual(new Set(said));
    expect(judge(lab, [...stack, resource("aws:s3/bucket:Bucket", {})])).toEqual(said);
  });
});
