import { Echoes } from "./echoes";
import { settingsOf, type Level, type Pack, type PolicyConfig, type Setting } from "./policy-config";
import { Resource, Stack, surroundings, type AnalyzedResource, type SurroundingFacts } from "./resource";
import type { Severity } from "./rule";
import { judgeResource, judgeStack, type Outcome } from "./verdict";

export type { Pack, PolicyConfig } from "./policy-config";
export type { AnalyzedResource } from "./resource";

/** What a rule has to say about a resource of a plan. A rule that is content says nothing. */
export interface Finding {
  /** Name of the pack. */
  readonly pack: string;
  /** Name of the rule. */
  readonly rule: string;
  readonly level: Exclude<Level, "disabled">;
  readonly severity: Severity;
  /** Empty if the whole stack is to blame, as is the name. */
  readonly urn: string;
  readonly name: string;
  /** `unknown`: the verdict waits for values that are known only after the update. */
  readonly verdict: "fail" | "unknown";
  readonly message: string;
}

export interface JudgeOptions extends SurroundingFacts {
  /** The content of a policy configuration file: levels and parameters. @default each rule's own */
  readonly policyConfig?: PolicyConfig;
}

/**
 * Judges resources by the rules of a pack, in this process: what `pulumi preview --policy-pack` would report, and what
 * it could not judge. Findings come by resource in the order given, those of rules on the whole stack last.
 *
 * @throws PolicyConfigError when the policy configuration has problems.
 */
export function judge(pack: Pack, resources: readonly AnalyzedResource[], options: JudgeOptions = {}): Finding[] {
  const settings = settingsOf(pack, options.policyConfig ?? {}).filter(({ level }) => level !== "disabled");
  const around = surroundings(options);
  const seen = resources.map((resource) => new Resource(resource));

  const said = seen.flatMap((resource) =>
    settings.flatMap((setting) =>
      setting.rule.scope === "resource" && setting.rule.types.includes(resource.type)
        ? [{ setting, resource, outcomes: judgeResource(setting.rule, resource, setting.configured, around) }]
        : [],
    ),
  );
  const stack = new Stack(seen);
  const echoes = new Echoes();
  for (const { urn, parent } of resources) echoes.place(urn, parent);
  for (const { setting, resource, outcomes } of said) echoes.note(setting.rule.id, resource.urn, outcomes);

  const ofResources = said.flatMap(({ setting, resource, outcomes }) =>
    outcomes
      .filter((outcome) => !echoes.isEcho(setting.rule.id, resource.urn, outcome))
      .map((outcome) => finding(pack, setting, outcome)),
  );
  const ofStack = settings.flatMap((setting) =>
    setting.rule.scope === "stack"
      ? judgeStack(setting.rule, stack, setting.configured, around).map((o) => finding(pack, setting, o))
      : [],
  );
  return [...ofResources, ...ofStack];
}

function finding(pack: Pack, { rule, level }: Setting, { resource, verdict, advisory, message }: Outcome): Finding {
  return {
    pack: pack.name,
    rule: rule.id,
    level: advisory || level !== "mandatory" ? "advisory" : "mandatory",
    severity: rule.severity,
    urn: resource?.urn ?? "",
    name: resource?.name ?? "",
    verdict,
    message,
  };
}
