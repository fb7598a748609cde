import { renderProblem, type Problem } from "../../components/core/problems";
import { join } from "../../components/core/reader/paths";
import { plainValue } from "../../components/core/reader/records";
import { nearest } from "../../components/core/suggest";
import type { Level, Pack, PackRule } from "./pack";
import type { Rule } from "./rule";

/**
 * The content of a policy configuration file (`--policy-pack-config`): by rule, or for `all` of them, a level or an
 * object of `enforcementLevel` and the rule's own parameters.
 * @see https://www.pulumi.com/docs/insights/policy/policy-packs/authoring/ on 2026-10-06
 */
export type PolicyConfig = Readonly<Record<string, unknown>>;

/** The policy configuration cannot be used. */
export class PolicyConfigError extends Error {
  readonly code = "EKS_GPU_LAB_POLICY_CONFIG";

  constructor(readonly problems: readonly Problem[]) {
    super(problems.map((problem) => renderProblem(problem)).join("\n"));
  }

  /** Whether `error` is a PolicyConfigError, made by this or by another copy of the package. */
  static is(error: unknown): error is PolicyConfigError {
    return error instanceof Error && (error as { code?: unknown }).code === "EKS_GPU_LAB_POLICY_CONFIG";
  }
}

/** A rule of a pack under a policy configuration. */
export interface Setting extends PackRule {
  /** The rule's own parameters as configured. */
  readonly configured: Readonly<Record<string, unknown>>;
}

const levels: Readonly<Record<string, Level>> = {
  mandatory: "mandatory",
  remediate: "mandatory",
  advisory: "advisory",
  disabled: "disabled",
};

/**
 * Merges a policy configuration into a pack as the engine does: a rule's own entry overrides `all`.
 *
 * @throws PolicyConfigError with every problem of the configuration.
 */
export function settingsOf(pack: Pack, config: PolicyConfig): Setting[] {
  const problems = policyConfigProblems(pack, config);
  if (problems.length > 0) throw new PolicyConfigError(problems);
  const forAll = levelIn(entryOf(config, "all"));
  return pack.rules.map((packRule) => {
    const entry = entryOf(config, packRule.rule.id);
    const level = levelIn(entry) ?? forAll ?? packRule.level;
    return { ...packRule, level, configured: typeof entry === "object" ? entry : {} };
  });
}

/** What a policy configuration can name. A pack that is being made has no name yet. */
type Configured = Pick<Pack, "rules" | "leftOut"> & Partial<Pick<Pack, "name">>;

/**
 * Every problem of a policy configuration. `environments`, which only the engine can resolve, is ignored.
 *
 * @param at prefix of the paths
 */
export function policyConfigProblems(pack: Configured, config: PolicyConfig, at = ""): Problem[] {
  const rules = new Map(pack.rules.map(({ rule }) => [rule.id, rule]));
  return Object.keys(config)
    .filter((name) => name !== "environments")
    .flatMap((name) => {
      const rule = rules.get(name);
      const path = join(at, name);
      if (!rule && name !== "all") return [unknownRule(pack, name, config[name], path)];
      return entryProblems(path, entryOf(config, name), rule);
    });
}

type Entry = string | Readonly<Record<string, unknown>> | undefined;

function entryOf(config: PolicyConfig, name: string): Entry {
  return plainValue(config, name) as Entry;
}

function levelIn(entry: Entry): Level | undefined {
  const word = typeof entry === "object" ? entry["enforcementLevel"] : entry;
  return typeof word === "string" ? levels[word] : undefined;
}

function entryProblems(at: string, entry: Entry, rule: Rule | undefined): Problem[] {
  if (typeof entry === "string") return levelProblems(at, entry);
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    const fix = `set ${at} to a level, or to an object such as {"enforcementLevel": "advisory"}`;
    return [{ code: "wrong-type", path: at, got: entry, why: "Must be a level or an object.", fix }];
  }
  return Object.entries(entry).flatMap(([key, value]) => {
    const path = `${at}.${key}`;
    if (key === "enforcementLevel") return levelProblems(path, value);
    const parameter = rule?.parameters[key];
    if (!parameter) return [unknownParameter(key, { path, got: value }, rule)];
    if (parameter.accepts(value)) return [];
    const why = `Must be ${parameter.form}.`;
    return [{ code: "wrong-type" as const, path, got: value, why, fix: `set ${path} to ${parameter.form}` }];
  });
}

function levelProblems(path: string, got: unknown): Problem[] {
  if (typeof got === "string" && Object.hasOwn(levels, got)) return [];
  const words = "mandatory, advisory, disabled";
  return [{ code: "not-allowed", path, got, why: `Must be one of ${words}.`, fix: `set ${path} to one of ${words}` }];
}

function unknownRule({ name, rules, leftOut = [] }: Configured, id: string, got: unknown, path: string): Problem {
  const pack = name === undefined ? "The pack" : `The pack ${name}`;
  if (leftOut.includes(id)) {
    return { code: "conflict", path, got, why: `${pack} leaves this rule out.`, fix: `remove ${path}` };
  }
  const names = rules.map(({ rule }) => rule.id);
  return { code: "unknown-key", path, got, why: `${pack} has no rule with this name.`, fix: suggestion(id, names) };
}

function unknownParameter(key: string, where: Pick<Problem, "path" | "got">, rule: Rule | undefined): Problem {
  const names = ["enforcementLevel", ...Object.keys(rule?.parameters ?? {})];
  const why = rule ? "The rule has no parameter with this name." : "For all rules, you can set only the level.";
  return { code: "unknown-key", ...where, why, fix: suggestion(key, names) };
}

/** More names do not help in one line. */
const mostNames = 8;

function suggestion(given: string, names: readonly string[]): string {
  const meant = nearest(given, names);
  const shown = names.slice(0, mostNames).join(", ");
  const others = names.length > mostNames ? ` or ${names.length - mostNames} others` : "";
  return meant === undefined ? `use one of ${shown}${others}` : `did you mean ${meant}?`;
}
