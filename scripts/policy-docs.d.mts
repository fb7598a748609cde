/** The pages of the policy rules, by path from the project's root. */
export function policyPages(): Promise<Record<string, string>>;
/** An example of a policy configuration for each pack, by path from the project's root. */
export function policyConfigs(): Record<string, string>;
