import type { PreflightCheck } from "../../components/preflight/preflight-checks";
import type { PreflightFacts } from "../../components/preflight/preflight-facts";
import type { Problem } from "../../components/core/problems";

/** What a check found. */
export interface CheckResult {
  readonly id: string;
  /** What is checked, as a noun. */
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

export interface EnvironmentResults {
  /** Logical name of the environment. */
  readonly name: string;
  readonly clusterName: string;
  readonly results: readonly CheckResult[];
}

/** The message of a policy rule about a resource. */
interface Violation {
  readonly rule: string;
  /** Logical name of the resource. */
  readonly resource: string;
  readonly level: "mandatory" | "advisory";
  /** What is wrong and why, and the fix on a second line. */
  readonly message: string;
}

/** Reasons by fact: a sentence each. */
type Reasons = Readonly<Partial<Record<keyof PreflightFacts, string>>>;

export interface MissingFacts {
  /** What could not be read. */
  readonly unread: Reasons;
  /** What the command does not read. @default none */
  readonly skipped?: Reasons;
}

/** Judges what is known with the rules of the preview. */
export function resultsOf<Request>(
  checks: readonly PreflightCheck<Request>[],
  request: Request,
  facts: PreflightFacts,
  missing: MissingFacts,
): CheckResult[] {
  return checks.map((check) => {
    const { id, title } = check;
    const problems = [...check.problems(request, facts), ...(check.passing?.(request, facts) ?? [])];
    const warnings = check.warnings?.(request, facts) ?? [];
    const found = problems.length > 0 ? "problem" : warnings.length > 0 ? "warning" : undefined;
    const status = found ?? statusOf(check, request, facts, missing);
    return { id, title, ...(typeof status === "string" ? { status } : status), problems, warnings };
  });
}

/** Whether a check without a finding was made. */
function statusOf<Request>(
  { needs, unneeded }: PreflightCheck<Request>,
  request: Request,
  facts: PreflightFacts,
  { unread, skipped }: MissingFacts,
): Pick<CheckResult, "status" | "reason"> {
  const why = unneeded?.(request, facts);
  if (why !== undefined) return { status: "skipped", reason: `Not needed: ${why}.` };
  const name = needs.find((fact) => facts[fact] === undefined);
  if (name === undefined) return { status: "ok" };
  const reason = skipped?.[name];
  if (reason !== undefined) return { status: "skipped", reason };
  return { status: "unread", reason: unread[name] ?? "The facts that it needs are not known." };
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
