import { basename } from "node:path";
import { expect } from "vitest";
import { judge, type AnalyzedResource, type Finding, type JudgeOptions } from "../../../policies/engine/judge";
import type { Rule } from "../../../policies/engine/rule";
import { isUnknown, unknownSentinels } from "../../../components/core/reader/truth";
import { pathsOf, withValue, type Key } from "./hostile";

/** One question to a rule: what it was shown, and what it said. */
export interface Case {
  readonly resources: readonly AnalyzedResource[];
  readonly options: JudgeOptions;
  readonly findings: readonly Finding[];
}

const asked = new Map<Rule, Case[]>();

/** Remembers what a rule's own test file asked. At the end of the file its cases must reach the minimum. */
export function remember(rule: Rule, asked_: Case): void {
  if (isAbout(expect.getState().testPath, rule)) asked.set(rule, [...(asked.get(rule) ?? []), asked_]);
}

function isAbout(testFile = "", { id }: Rule): boolean {
  return basename(testFile, ".test.ts") === id;
}

/** What the cases of a rule lack of the least that a rule is to be tested with. */
export function lacking(rule: Rule, cases: readonly Case[]): string[] {
  const said = distinct(cases);
  const fails = said.filter(({ findings }) => findings.some(({ verdict }) => verdict === "fail"));
  const passes = said.filter(({ findings }) => findings.length === 0);
  const component = rule.types.find((type) => type.startsWith("eks-gpu-lab:"));
  const isExempt = ({ options }: Case) => hasExempt(options.policyConfig?.[rule.id]);
  const minima: [what: string, isMet: boolean][] = [
    ["3 passes", passes.length >= 3],
    ["3 fails", fails.length >= 3],
    ["2 cases on both sides of a boundary", fails.some((one) => passes.some((other) => differsInOne(one, other)))],
    ["a secret, hunter2, that is not printed", fails.some(holdsSecret)],
    ["an exempt resource", passes.some(isExempt)],
    [
      "arguments of a component",
      component === undefined ||
        fails.some(({ resources }) => resources.some(({ type }) => type.startsWith("eks-gpu-lab:"))),
    ],
  ];
  const unseen = [...operands(rule, fails)]
    .filter((path) => !waitedFor(said).has(path))
    .map((path) => `unknown ${path}`);
  return [...minima.filter(([, isMet]) => !isMet).map(([what]) => what), ...unseen];
}

function distinct(cases: readonly Case[]): Case[] {
  const key = ({ resources, options }: Case) => JSON.stringify([resources, options.policyConfig, options.stack]);
  return [...new Map(cases.map((one) => [key(one), one])).values()];
}

function hasExempt(settings: unknown): boolean {
  return typeof settings === "object" && settings !== null && "exempt" in settings;
}

function holdsSecret({ resources, findings }: Case): boolean {
  return JSON.stringify(resources).includes("hunter2") && !JSON.stringify(findings).includes("hunter2");
}

/** Whether two cases differ in one value, or in one resource more. */
function differsInOne(one: Case, other: Case): boolean {
  const [a, b] = [leaves(one.resources), leaves(other.resources)];
  const keys = new Set([...a.keys(), ...b.keys()]);
  let differences = 0;
  for (const key of keys) if (a.get(key) !== b.get(key) && ++differences > 1) return false;
  return differences === 1;
}

function leaves(resources: readonly AnalyzedResource[]): Map<string, string> {
  return new Map(
    resources.flatMap(({ properties }, index) =>
      leavesOf(properties).map((path) => [`${index}.${path.join(".")}`, String(valueAt(properties, path))] as const),
    ),
  );
}

function leavesOf(properties: object): (readonly Key[])[] {
  return pathsOf(properties).filter((path) => {
    const value = valueAt(properties, path);
    return typeof value !== "object" || value === null;
  });
}

function valueAt(value: unknown, path: readonly Key[]): unknown {
  return path.reduce((at, key) => (at as Record<string | number, unknown>)[key], value);
}

/** Paths that verdicts wait for once a single value of a failing case is hidden. */
function operands(rule: Rule, fails: readonly Case[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { resources, options } of fails.slice(0, 12)) {
    for (const [index, { properties }] of resources.slice(0, 6).entries()) {
      for (const path of leavesOf(properties).slice(0, 60)) {
        const hidden = withValue(properties, path, unknownSentinels.text) as Record<string, unknown>;
        const stack = resources.map((one, at) => (at === index ? { ...one, properties: hidden } : one));
        for (const open of waits(judge(packOf(rule), stack, options))) found.add(open);
      }
    }
  }
  return found;
}

function waitedFor(cases: readonly Case[]): ReadonlySet<string> {
  const asked_ = cases.filter(({ resources }) => resources.some(({ properties }) => holdsUnknown(properties)));
  return new Set(asked_.flatMap(({ findings }) => waits(findings)));
}

function holdsUnknown(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return isUnknown(value);
  return Object.values(value).some(holdsUnknown);
}

/**
 * What findings wait for. A list and an item of it are one operand; so are the places where kinds of workloads keep the
 * same specification of pods, and the lists of containers in it.
 */
function waits(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ message }) => {
    const paths = /yet: (.+) (?:is|are) not known/.exec(message)?.[1]?.split(", ") ?? [];
    return paths.map((path) =>
      path
        .replace(/\[\d+\]/g, "[]")
        .replace(/\[\]$/, "")
        .replace(/^spec\.(jobTemplate\.spec\.)?template\.spec/, "spec")
        .replace(/^spec\.(init|ephemeral)Containers/, "spec.containers"),
    );
  });
}

export function packOf(rule: Rule) {
  return { name: "test", version: "1.0.0", description: "", rules: [{ rule, level: "mandatory" as const }] };
}

/** What the cases of the rule that a test file is about lack; nothing if the file is about none. */
export function lackingIn(testFile: string): string[] {
  const rule = [...asked.keys()].find((one) => isAbout(testFile, one));
  return rule ? lacking(rule, asked.get(rule) ?? []) : [];
}
