import type { ConfigKey } from "../stacks/run/config-keys";

export function pulumiConfig(keys: Readonly<Record<string, ConfigKey>>): string;
export function readmeTable(keys: Readonly<Record<string, ConfigKey>>): string;
