import * as v from "valibot";
import { InputError, type Problem } from "../../components/core/problems";
import { join } from "../../components/core/reader/paths";
import { Reader } from "../../components/core/reader/reader";
import { optionalProperty } from "../../components/core/reader/records";
import {
  anything,
  conflict,
  list,
  mapOf,
  matching,
  oneOf,
  optional,
  parse,
  section,
  text,
  type ValueOf,
} from "../../components/core/schema";
import { nearest } from "../../components/core/suggest";
import manifest from "../../package.json";
import type { Level, Pack, PackRule } from "./pack";
import type { Parameter, ValuesOf } from "./parameters";
import { policyConfigProblems, settingsOf, type Setting } from "./policy-config";
import type { Rule } from "./rule";
import { isPack, ruleSchema } from "./rule-schema";

/**
 * Levels and parameters by rule, in the form of a policy configuration file. `all` is the level of every rule that has no
 * level here. A parameter becomes the default of its rule; a policy configuration still overrides both.
 */
export type PackSettings<R extends Rule> = {
  readonly [Id in R["id"] | "all"]?: Id extends "all" ? Level : RuleSettings<Extract<R, { readonly id: Id }>>;
};

type RuleSettings<R extends Rule> =
  Level | ({ readonly enforcementLevel?: Level } & Partial<ValuesOf<Named<R["parameters"]>>>);

/** Without the index signature that all rules have in common. */
type Named<P> = { [Name in keyof P as string extends Name ? never : Name]: P[Name] };

/** The arguments of {@link pack}. */
export interface PackDefinition<
  Base extends Rule,
  Own extends readonly PackRule[],
  Without extends readonly Base["id"][],
> {
  /** Letters, digits, dots, dashes and underscores; at most 100 characters. */
  readonly name: string;
  /** For the offline plan. The Pulumi engine shows the version in the package.json of the pack's folder. */
  readonly version: string;
  readonly description: string;
  /** The pack to start from. @default none */
  readonly extends?: Pack<Base>;
  /** Names of rules of `extends` to leave out. @default none */
  readonly without?: Without;
  /** Further rules. @default none */
  readonly rules?: Own;
  /**
   * Address or path of a folder with a page RULE.md for each of `rules`. Messages end with the page of their rule.
   *
   * @default none
   */
  readonly pages?: string;
  /** Levels and parameters of the rules of `extends` and of `rules`. @default those of each rule */
  readonly settings?: PackSettings<RulesOf<Base, Own, Without>>;
}

type RulesOf<Base extends Rule, Own extends readonly PackRule[], Without extends readonly string[]> =
  Exclude<Base, { readonly id: Without[number] }> | Own[number]["rule"];

/**
 * Makes a policy pack: the rules of another pack with changes, rules of your own, or both.
 *
 * @example
 * const acme = pack({
 *   name: "acme-gpu",
 *   version: "1.0.0",
 *   description: "Rules for GPU clusters of Acme.",
 *   extends: lab,
 *   without: ["gpu-single-az", "cluster-logging"],
 *   rules: [{ rule: costCenter, level: "mandatory" }],
 *   settings: { "gpu-node-disk": { enforcementLevel: "mandatory", minGiB: 200 } },
 * });
 * @throws InputError with every mistake of the definition
 */
export function pack<
  Base extends Rule = never,
  const Own extends readonly PackRule[] = readonly [],
  const Without extends readonly Base["id"][] = readonly [],
>(definition: PackDefinition<Base, Own, Without>): Pack<RulesOf<Base, Own, Without>> {
  const { value, problems } = parse(packSchema, definition);
  const givenName = new Reader(definition).text("name").value ?? "without a name";
  if (!value) throw new InputError(`policy pack ${givenName}`, problems);
  const { name, version, description, settings } = value;
  const whole: Pack = { name, version, description, ...merged(value) };
  return { ...whole, rules: settingsOf(whole, settings).map(asPackRule) };
}

const form = section({
  name: matching(
    /^[\w.-]{1,100}$/,
    "letters, digits, dots, dashes and underscores, at most 100 characters",
    'set {path} to a name such as "acme-gpu"',
  ),
  version: text('set {path} to a version such as "1.0.0"'),
  description: text("set {path} to a sentence"),
  extends: optional(v.custom<Pack>(isPack, "Must be a pack.\nset {path} to a pack such as lab")),
  without: optional(list(text("set {path} to the name of a rule"), '["gpu-single-az"]', { distinct: true }), []),
  rules: optional(
    list(
      section({ rule: ruleSchema, level: oneOf(["mandatory", "advisory", "disabled"]) }),
      '[{ rule: costCenter, level: "mandatory" }]',
    ),
    [],
  ),
  pages: optional(text("set {path} to an address such as https://example.com/rules")),
  settings: optional(mapOf(anything<unknown>(), '{ "gpu-node-disk": "mandatory" }'), {}),
});

type Form = ValueOf<typeof form>;

const packSchema = v.pipe(
  form,
  conflict(["extends", "without"], withoutProblems),
  conflict(["extends", "without", "rules"], rulesProblems),
  conflict(["extends", "without", "rules", "settings"], (values, at) =>
    policyConfigProblems(merged(values), values.settings, join(at, "settings")),
  ),
);

type Rules = Pick<Form, "extends" | "without" | "rules">;

function merged({ extends: base, without, rules, pages }: Rules & Partial<Pick<Form, "pages">>) {
  const kept = (base?.rules ?? []).filter(({ rule }) => !without.includes(rule.id));
  const own = rules.map((one): PackRule => ({ ...one, ...optionalProperty("page", pageIn(pages, one.rule.id)) }));
  return { rules: [...kept, ...own], leftOut: [...(base?.leftOut ?? []), ...without] };
}

/**
 * Where the pages of the rules are: in the repository that a released package names, else below its homepage, else in the
 * installed package, else in this repository.
 */
export function rulePages(settings: object = manifest, folder = __dirname): string {
  const read = new Reader(settings);
  const [, repository] = /^git\+(https:.+)\.git$/.exec(read.text("repository.url").value ?? "") ?? [];
  if (repository !== undefined) return `${repository}/blob/v${read.text("version").value}/docs/policies`;
  const [homepage] = /^https?:\/\/[^#?]*[^#?/]/.exec(read.text("homepage").value ?? "") ?? [];
  const installed = /[\\/]node_modules[\\/]/.test(folder) ? `node_modules/${manifest.name}` : undefined;
  return [homepage ?? installed, "docs/policies"].filter((part) => part !== undefined).join("/");
}

/** The page of a rule in a folder. */
export function pageIn(folder: string | undefined, rule: string): string | undefined {
  return folder === undefined ? undefined : `${folder.replace(/\/+$/, "")}/${encodeURIComponent(rule)}.md`;
}

function withoutProblems({ extends: base, without }: Pick<Form, "extends" | "without">, at: string): Problem[] {
  const path = join(at, "without");
  if (!base && without.length > 0) {
    const why = "The pack does not extend another pack.";
    const fix = `set ${join(at, "extends")} to a pack such as lab, or remove ${path}`;
    return [{ code: "conflict", path, got: without, why, fix }];
  }
  const names = (base?.rules ?? []).map(({ rule }) => rule.id);
  return without.flatMap((got, index): Problem[] => {
    if (names.includes(got)) return [];
    const item = `${path}[${index}]`;
    const meant = nearest(got, names);
    const fix = meant === undefined ? `remove ${item}` : `did you mean ${meant}?`;
    return [{ code: "unknown-key", path: item, got, why: "The pack in extends has no rule with this name.", fix }];
  });
}

function rulesProblems(values: Rules, at: string): Problem[] {
  const path = join(at, "rules");
  const names = merged(values).rules.map(({ rule }) => rule.id);
  if (names.length === 0) {
    const fix = `add a rule to ${path}, or set ${join(at, "extends")} to a pack such as lab`;
    return [{ code: "missing", path, got: values.rules, why: "The pack has no rules.", fix }];
  }
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...repeated].map((got) => {
    const fix = `add "${got}" to without, or rename the rule`;
    return { code: "conflict", path, got, why: "The pack has two rules with this name.", fix };
  });
}

/** The rule with the configured parameters as its defaults, also in the schema that the engine gets. */
function asPackRule({ configured, ...packRule }: Setting): PackRule {
  const { rule } = packRule;
  const changed: Record<string, Parameter<unknown>> = {};
  for (const [name, value] of Object.entries(configured)) {
    const parameter = rule.parameters[name];
    if (!parameter?.accepts(value)) continue;
    const schema = { ...parameter.schema, default: value } as Parameter<unknown>["schema"];
    changed[name] = { ...parameter, default: value, schema };
  }
  const isChanged = Object.keys(changed).length > 0;
  return isChanged ? { ...packRule, rule: { ...rule, parameters: { ...rule.parameters, ...changed } } } : packRule;
}
