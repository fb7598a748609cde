import { optionalProperty } from "../../components/core/reader/records";
import { countOf } from "../../components/core/text";
import { Deduplication } from "./deduplication";
import type { Level, Pack } from "./pack";
import { settingsOf, type PolicyConfig, type Setting } from "./policy-config";
import { resourcesOf } from "./objects";
import { isOneOf, Stack, surroundings, type AnalyzedResource, type SurroundingFacts, type Unseen } from "./resource";
import type { Rule, Severity } from "./rule";
import { judgeResource, judgeStack, type Outcome } from "./verdict";

export type { Pack } from "./pack";
export type { PolicyConfig } from "./policy-config";
export type { AnalyzedResource } from "./resource";

/** In place of the name of a rule: the finding that a part of the stack is not seen. */
export const unseenRule = "unseen";

/** The verdict of a rule on a resource of a plan. A rule that passes makes no finding. */
export interface Finding {
  /** Name of the pack. */
  readonly pack: string;
  /** Name of the rule, or `unseen` for what no rule can see. */
  readonly rule: string;
  readonly level: Exclude<Level, "disabled">;
  readonly severity: Severity;
  /** Empty, like `name`, for a finding on the whole stack. */
  readonly urn: string;
  readonly name: string;
  /** `unknown`: the verdict waits for values that are known only after the update. */
  readonly verdict: "fail" | "unknown";
  readonly message: string;
  /** Address or path of a page about the rule. @default none */
  readonly page?: string;
  /** The file that describes the resource, relative to the folder of the program. @default the program */
  readonly file?: string;
}

export interface JudgeOptions extends SurroundingFacts {
  /** The content of a policy configuration file: levels and parameters. @default each rule's own */
  readonly policyConfig?: PolicyConfig;
}

/**
 * Judges resources by the rules of a pack, in this process: what `pulumi preview --policy-pack` would report, and what
 * it could not judge. Findings are in the order of the resources; those of stack rules come last.
 *
 * @throws PolicyConfigError when the policy configuration has problems.
 */
export function judge(pack: Pack, resources: readonly AnalyzedResource[], options: JudgeOptions = {}): Finding[] {
  const settings = settingsOf(pack, options.policyConfig ?? {}).filter(({ level }) => level !== "disabled");
  const context = surroundings(options);
  const analyzed = resources.flatMap(resourcesOf);
  const deduplication = new Deduplication();
  for (const { urn, parent } of resources) deduplication.setParent(urn, parent);

  const judged = analyzed.flatMap((resource) =>
    settings.flatMap((setting) => {
      const { rule, configured } = setting;
      if (rule.scope !== "resource" || !isOneOf(rule.types, resource.type)) return [];
      const outcomes = judgeResource(rule, resource, configured, context);
      deduplication.record(rule.id, resource.urn, outcomes);
      return outcomes.map((outcome) => ({ setting, urn: resource.urn, outcome }));
    }),
  );
  const ofResources = judged
    .filter(({ setting, urn, outcome }) => !deduplication.isDuplicate(setting.rule.id, urn, outcome))
    .map(({ setting, outcome }) => finding(pack, setting, outcome));
  const stack = new Stack(analyzed);
  const ofStack = settings.flatMap((setting) => {
    const { rule, configured } = setting;
    if (rule.scope !== "stack") return [];
    return judgeStack(rule, stack, configured, context).map((outcome) => finding(pack, setting, outcome));
  });
  return [...ofResources, ...ofStack, ...unseenIn(pack, settings, resources)];
}

/** What the rules cannot see. It waits for nothing that a rule reads, so it belongs to no rule. */
function unseenIn(pack: Pack, settings: readonly Setting[], resources: readonly AnalyzedResource[]): Finding[] {
  const rules = settings.map(({ rule }) => rule);
  return resources.flatMap(({ urn, name, type, unseen = [] }) =>
    unseen.flatMap(({ why, fix, types }): Finding[] => {
      const blind = blindRules(rules, type, types);
      if (blind.length === 0) return [];
      const message = `cannot be judged by ${countOf(blind.length, "rule")}: ${why}\nfix: ${fix}`;
      const about = { pack: pack.name, rule: unseenRule, urn, name };
      return [{ ...about, level: "advisory", severity: "medium", verdict: "unknown", message }];
    }),
  );
}

/** The rules that read one of the types. Without types it is every rule, unless one reads the type of the creator. */
function blindRules(rules: readonly Rule[], creator: string, types: Unseen["types"]): readonly Rule[] {
  if (types === undefined) return rules.some((rule) => rule.types.includes(creator)) ? [] : rules;
  return rules.filter((rule) => rule.types.some((one) => types.some((start) => one.startsWith(start))));
}

function finding(
  pack: Pack,
  { rule, level, page }: Setting,
  { resource, verdict, advisory, message }: Outcome,
): Finding {
  return {
    pack: pack.name,
    rule: rule.id,
    level: advisory || level !== "mandatory" ? "advisory" : "mandatory",
    severity: rule.severity,
    urn: resource?.urn ?? "",
    name: resource?.name ?? "",
    verdict,
    message,
    ...optionalProperty("page", page),
    ...optionalProperty("file", resource?.file),
  };
}
