import type { Pack } from "./policy-config";
import type { Rule } from "./rule";

/**
 * The same rule with other defaults, for a pack that has its own idea of them. A policy configuration still wins.
 *
 * @throws Error when the rule has no such parameter or does not take the value: a mistake of the pack
 */
export function withParameters<R extends Rule>(rule: R, defaults: Readonly<Record<string, unknown>>): R {
  const changed = Object.entries(defaults).map(([name, value]) => {
    const parameter = rule.parameters[name];
    if (!parameter?.accepts(value)) throw new Error(`${rule.id} takes no ${name} of ${JSON.stringify(value)}`);
    return [name, { ...parameter, default: value, schema: { ...parameter.schema, default: value } }] as const;
  });
  return { ...rule, parameters: { ...rule.parameters, ...Object.fromEntries(changed) } };
}

/** What a pack makes of the rules of another: of each either the same, or what it gives here. */
export function variant(
  rules: Pack["rules"],
  change: (entry: Pack["rules"][number]) => Partial<Pack["rules"][number]>,
): Pack["rules"] {
  return rules.map((entry) => ({ ...entry, ...change(entry) }));
}
