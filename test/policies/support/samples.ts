import { cluster } from "./samples/cluster";
import { nodes } from "./samples/nodes";
import { workloads } from "./samples/workloads";

/**
 * One plausible resource of each type that a rule judges, as it arrives after the provider's Check. Tests of every rule
 * start from these and spoil them; a rule on a new type adds its own.
 */
export const samples: Readonly<Record<string, Record<string, unknown>>> = { ...nodes, ...cluster, ...workloads };
