import { preflightChecks, type PreflightCheck } from "../components/preflight/preflight-checks";
import type { CapacityRequest, PreflightFacts } from "../components/preflight/preflight-facts";
import type { Problem } from "../components/core/problems";

/** What a check found. */
export interface CheckResult {
  readonly id: string;
  readonly title: string;
  /** `skipped`: it is not needed, or not made here. `unread`: what it needs could not be read. */
  readonly status: "ok" | "problem" | "warning" | "skipped" | "unread";
  /** Why it is skipped, or could not be read. */
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

/** Reasons by fact: a sentence each. */
export type Reasons = Readonly<Partial<Record<keyof PreflightFacts, string>>>;

/** Why facts are missing. */
export interface MissingFacts {
  /** What could not be read. */
  readonly unread: Reasons;
  /** What this command does not read. */
  readonly skipped: Reasons;
}

/** Judges what is known with the rules of the preview. */
export function checkResults(request: CapacityRequest, facts: PreflightFacts, missing: MissingFacts): CheckResult[] {
  return preflightChecks.map((check) => {
    const { id, title } = check;
    const problems = [...check.problems(request, facts), ...(check.passing?.(request, facts) ?? [])];
    const warnings = check.warnings?.(request, facts) ?? [];
    if (problems.length > 0) return { id, title, status: "problem", problems, warnings };
    if (warnings.length > 0) return { id, title, status: "warning", problems, warnings };
    return { id, title, ...notMade(check, request, facts, missing), problems, warnings };
  });
}

/** Whether a check without a finding was made. */
function notMade(
  { needs, unneeded }: PreflightCheck,
  request: CapacityRequest,
  facts: PreflightFacts,
  { unread, skipped }: MissingFacts,
): Pick<CheckResult, "status" | "reason"> {
  const why = unneeded?.(request, facts);
  if (why !== undefined) return { status: "skipped", reason: `Not needed: ${why}.` };
  const name = needs.find((fact) => facts[fact] === undefined);
  if (name === undefined) return { status: "ok" };
  const reason = skipped[name];
  if (reason !== undefined) return { status: "skipped", reason };
  return { status: "unread", reason: unread[name] ?? "What it needs is not known." };
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
