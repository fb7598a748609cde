import { judge, type AnalyzedResource, type Finding, type JudgeOptions } from "../../../policies/engine/judge";
import type { Rule } from "../../../policies/engine/rule";
import { unknownSentinels } from "../../../components/core/reader/truth";
import { packOf, remember } from "./case-minimum";

/** The sentinel that the Node.js SDK sends for every unknown value. */
export const unknown = unknownSentinels.text;

/** A resource of a type; its name is `it` unless given. */
export function resource(
  type: string,
  properties: Record<string, unknown>,
  more: Partial<AnalyzedResource> = {},
): AnalyzedResource {
  const name = more.name ?? "it";
  return { urn: urnOf(type, name), type, name, properties, ...more };
}

/** A URN as the engine makes it; `type` may hold the types of the ancestors, separated by `$`. */
export function urnOf(type: string, name: string): string {
  return `urn:pulumi:test::project::${type}::${name}`;
}

/** The findings of one mandatory rule. */
export function findings(rule: Rule, resources: readonly AnalyzedResource[], options: JudgeOptions = {}): Finding[] {
  const said = judge(packOf(rule), resources, options);
  remember(rule, { resources, options, findings: said });
  return said;
}

/**
 * What one mandatory rule says, all of it, in short: `fail scalingConfig.maxSize`, `advise version`,
 * `unknown scalingConfig.minSize`. Nothing means that the rule is content.
 */
export function verdicts(rule: Rule, resources: readonly AnalyzedResource[], options: JudgeOptions = {}): string[] {
  return findings(rule, resources, options).map(short);
}

export function short({ verdict, level, message }: Finding): string {
  if (verdict === "unknown") return `unknown ${/yet: (.+) (?:is|are) not known/.exec(message)?.[1]}`;
  return `${level === "mandatory" ? "fail" : "advise"} ${message.split(": got ")[0]}`;
}
