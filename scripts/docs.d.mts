export const files: readonly string[];
export function render(file: string): Promise<string>;
/** The pages of the policy rules, and an example configuration of each pack, by path from the project's root. */
export function renderPolicies(): Promise<Record<string, string>>;
/** The page of the alerts and their rules file, by path from the project's root. */
export function renderAlerts(): Promise<Record<string, string>>;
/** The page of the known accidents, by path from the project's root. */
export function renderAccidents(): Promise<Record<string, string>>;
/** The pictures of the labs, by path from the project's root. */
export function renderLabs(): Promise<Record<string, string>>;
