import type { PreflightCheck } from "../components/preflight/preflight-checks";
import type { PreflightFacts } from "../components/preflight/preflight-facts";
import type { SessionCheck } from "../sessions/preflight";

/** What a check found. */
export interface CheckResult extends SessionCheck {
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

/** Reasons by fact: a sentence each. */
type Reasons = Readonly<Partial<Record<keyof PreflightFacts, string>>>;

/** Why facts are missing. */
export interface MissingFacts {
  /** What could not be read. */
  readonly unread: Reasons;
  /** What the command does not read. @default none */
  readonly skipped?: Reasons;
}

/** What checks judge. */
interface Judged<Request> {
  readonly request: Request;
  readonly facts: PreflightFacts;
  readonly missing: MissingFacts;
}

/** Judges what is known. */
export function resultsOf<Request>(checks: readonly PreflightCheck<Request>[], judged: Judged<Request>): CheckResult[] {
  const { request, facts } = judged;
  return checks.map((check) => {
    const { id, title } = check;
    const problems = [...check.problems(request, facts), ...(check.passing?.(request, facts) ?? [])];
    const warnings = check.warnings?.(request, facts) ?? [];
    if (problems.length > 0) return { id, title, status: "problem", problems, warnings };
    if (warnings.length > 0) return { id, title, status: "warning", problems, warnings };
    return { id, title, ...statusOf(check, judged), problems, warnings };
  });
}

/** Whether a check without a finding was made. */
function statusOf<Request>(
  { needs, unneeded }: PreflightCheck<Request>,
  { request, facts, missing: { unread, skipped } }: Judged<Request>,
): Pick<CheckResult, "status" | "reason"> {
  const why = unneeded?.(request, facts);
  if (why !== undefined) return { status: "skipped", reason: `Not needed: ${why}.` };
  const name = needs.find((fact) => facts[fact] === undefined);
  if (name === undefined) return { status: "ok" };
  const reason = skipped?.[name];
  if (reason !== undefined) return { status: "skipped", reason };
  return { status: "unread", reason: unread[name] ?? "What it needs is not known." };
}
