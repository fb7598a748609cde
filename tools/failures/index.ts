import type { Failures } from "./failure";
import { operationFailures } from "./operation";
import { waitingPodFailures } from "./waiting-pods";
import { workloadAndNodeFailures } from "./workloads-and-nodes";

export type { Failure, Failures } from "./failure";

/**
 * The catalog of failures of GPUs on EKS, by section. docs/accidents.md shows it, and lists at its end every
 * lab, rule, alert and conclusion that no failure names.
 */
export const failures: Failures = { ...waitingPodFailures, ...workloadAndNodeFailures, ...operationFailures };
