import type { Problem } from "../components/core/problems";
import type { PreflightCheck } from "../components/preflight/preflight-checks";
import type { PreflightFacts } from "../components/preflight/preflight-facts";

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

/** Why facts could not be read: a sentence each. */
export type Unread = Readonly<Partial<Record<keyof PreflightFacts, string>>>;

/** What checks judge. */
interface Judged<Request> {
  readonly request: Request;
  readonly facts: PreflightFacts;
  readonly unread: Unread;
}

/** Judges what is known; what is not known is skipped. */
export function resultsOf<Request>(
  checks: readonly PreflightCheck<Request>[],
  { request, facts, unread }: Judged<Request>,
): CheckResult[] {
  return checks.map((check) => {
    const { id, title } = check;
    const problems = [...check.problems(request, facts), ...(check.passing?.(request, facts) ?? [])];
    const warnings = check.warnings?.(request, facts) ?? [];
    if (problems.length > 0) return { id, title, status: "problem", problems, warnings };
    if (warnings.length > 0) return { id, title, status: "warning", problems, warnings };
    const reason = reasonToSkip(check, { request, facts, unread });
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

function reasonToSkip<Request>(
  { needs, unneeded }: PreflightCheck<Request>,
  { request, facts, unread }: Judged<Request>,
): string | undefined {
  const why = unneeded?.(request, facts);
  if (why !== undefined) return `Not needed: ${why}.`;
  const missing = needs.find((name) => facts[name] === undefined);
  return missing && (unread[missing] ?? "What it needs is not known.");
}
