import { preflightChecks, type PreflightCheck } from "../components/preflight/preflight-checks";
import type { CapacityRequest, PreflightFacts } from "../components/preflight/preflight-facts";
import type { Problem } from "../components/core/problems";

/** What a check found. */
export interface CheckResult {
  readonly id: string;
  readonly title: string;
  readonly status: "ok" | "problem" | "warning" | "skipped";
  /** Why it is skipped. */
  readonly reason?: string;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  /** What policy rules say. */
  readonly violations?: readonly Violation[];
}

/** The message of a policy rule about a resource. */
export interface Violation {
  readonly rule: string;
  /** Logical name of the resource. */
  readonly resource: string;
  readonly level: "mandatory" | "advisory";
  /** What is wrong and why, and the fix on a second line. */
  readonly message: string;
}

/** The checks of one environment. */
export interface EnvironmentResults {
  /** Logical name of the environment. */
  readonly name: string;
  readonly clusterName: string;
  readonly results: readonly CheckResult[];
}

/** Judges what is known with the rules of the preview; what is not known is skipped. */
export function checkResults(
  request: CapacityRequest,
  facts: PreflightFacts,
  unread: Readonly<Partial<Record<keyof PreflightFacts, string>>>,
): CheckResult[] {
  return preflightChecks.map((check) => {
    const { id, title } = check;
    const problems = [...check.problems(request, facts), ...(check.passing?.(request, facts) ?? [])];
    const warnings = check.warnings?.(request, facts) ?? [];
    if (problems.length > 0) return { id, title, status: "problem", problems, warnings };
    if (warnings.length > 0) return { id, title, status: "warning", problems, warnings };
    const reason = reasonToSkip(check, request, facts, unread);
    return {
      id,
      title,
      status: reason === undefined ? "ok" : "skipped",
      ...(reason && { reason }),
      problems,
      warnings,
    };
  });
}

function reasonToSkip(
  { needs, unneeded }: PreflightCheck,
  request: CapacityRequest,
  facts: PreflightFacts,
  unread: Readonly<Partial<Record<keyof PreflightFacts, string>>>,
): string | undefined {
  const why = unneeded?.(request, facts);
  if (why !== undefined) return `Not needed: ${why}.`;
  const missing = needs.find((name) => facts[name] === undefined);
  return missing && (unread[missing] ?? "What it needs is not known.");
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
