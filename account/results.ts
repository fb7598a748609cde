import { preflightChecks } from "../components/preflight/preflight-checks";
import type { CapacityRequest, PreflightFacts } from "../components/preflight/preflight-facts";
import { resultsOf, type CheckResult, type Unread, type Violation } from "./check-result";

/** The checks of one environment. */
export interface EnvironmentResults {
  /** Logical name of the environment. */
  readonly name: string;
  readonly clusterName: string;
  readonly results: readonly CheckResult[];
}

/** Judges what is known with the rules of the preview; what is not known is skipped. */
export function checkResults(request: CapacityRequest, facts: PreflightFacts, unread: Unread): CheckResult[] {
  return resultsOf(preflightChecks, { request, facts, unread });
}

/** The check of versions that must fit each other, from what the policy rules say about the plan. */
export function compatibilityResult(violations: readonly Violation[]): CheckResult {
  const isProblem = violations.some(({ level }) => level === "mandatory");
  return {
    ...{ id: "compatibility", title: "chart, Kubernetes, driver and AMI" },
    status: isProblem ? "problem" : violations.length > 0 ? "warning" : "ok",
    ...{ problems: [], warnings: [], violations },
  };
}
