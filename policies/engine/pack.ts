import type { Rule } from "./rule";

/** As in a policy configuration file. No rule here changes a resource, so `remediate` means `mandatory`. */
export type Level = "mandatory" | "advisory" | "disabled";

/** A set of rules, each with its level. */
export interface Pack {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly rules: readonly PackRule[];
}

export interface PackRule {
  readonly rule: Rule;
  readonly level: Level;
}

/** The rules of another pack with some changes: a rule keeps what `change` does not return. */
export function variant(rules: readonly PackRule[], change: (entry: PackRule) => Partial<PackRule>): PackRule[] {
  return rules.map((entry) => ({ ...entry, ...change(entry) }));
}

/**
 * The same rule with other defaults. A policy configuration overrides them.
 *
 * @throws Error when the rule has no such parameter or rejects the value: a mistake in the pack
 */
export function withParameters<R extends Rule>(rule: R, defaults: Readonly<Record<string, unknown>>): R {
  const changed = Object.entries(defaults).map(([name, value]) => {
    const parameter = rule.parameters[name];
    if (!parameter?.accepts(value)) throw new Error(`${rule.id} does not accept ${JSON.stringify(value)} for ${name}`);
    return [name, { ...parameter, default: value, schema: { ...parameter.schema, default: value } }] as const;
  });
  return { ...rule, parameters: { ...rule.parameters, ...Object.fromEntries(changed) } };
}
