import type { Failures } from "./failure";
import { operationFailures } from "./operation";
import { workloadAndNodeFailures } from "./workloads-and-nodes";

export type { Failure } from "./failure";

/**
 * The catalog of failures of GPUs on EKS, by section. docs/accidents.md shows it. Every lab, rule, alert and conclusion
 * must occur: a test lists what is missing.
 */
export const failures: Failures = { ...workloadAndNodeFailures, ...operationFailures };
