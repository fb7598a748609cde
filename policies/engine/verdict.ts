import { InputError, renderFinding } from "../../components/core/problems";
import { isRecord } from "../../components/core/reader/records";
import { matchesAny } from "./glob";
import { valuesOf } from "./parameters";
import { isOneOf, Stack, type Resource, type Surroundings } from "./resource";
import type { Check, ResourceRule, Rule, StackRule } from "./rule";
import { any, Undetermined } from "../../components/core/reader/truth";

/** The verdict of a rule on one resource, or on the stack where it names no resource. A rule that passes has none. */
export interface Outcome {
  readonly resource: Resource | undefined;
  readonly verdict: "fail" | "unknown";
  /** Stays a warning, whatever the level of the rule. */
  readonly advisory: boolean;
  /** For a fail: what is wrong, why, and the fix. For an unknown verdict: the values that it waits for. */
  readonly message: string;
}

/** The outcomes of a rule for a resource of one of its types. */
export function judgeResource(
  rule: ResourceRule,
  resource: Resource,
  configured: object,
  surroundings: Surroundings,
): Outcome[] {
  const parameters = valuesOf(rule.parameters, configured);
  if (isExempt(resource, parameters.exempt)) return [];
  return named(rule, resource.name, () =>
    outcomes(resource, checksOf(rule, rule.judge(resource, parameters, surroundings))),
  );
}

export function judgeStack(rule: StackRule, stack: Stack, configured: object, surroundings: Surroundings): Outcome[] {
  const parameters = valuesOf(rule.parameters, configured);
  return named(rule, "the stack", () => {
    const byUrn = new Map<string | undefined, Check[]>();
    const own = new Stack(stack.resources.filter(({ type }) => isOneOf(rule.types, type)));
    const judgePart = (part: Stack) => checksOf(rule, rule.judge(part, parameters, surroundings));
    for (const check of rule.division(own, judgePart)) {
      if (isExempt(check.resource, parameters.exempt)) continue;
      const known = byUrn.get(check.resource?.urn);
      if (known) known.push(check);
      else byUrn.set(check.resource?.urn, [check]);
    }
    return [...byUrn.values()].flatMap((checks) => outcomes(checks[0]?.resource, checks));
  });
}

/** An error of the code of a rule says which rule it was, and what the rule was judging. */
function named<T>(rule: Rule, subject: string, judge: () => T): T {
  try {
    return judge();
  } catch (error) {
    if (InputError.is(error)) throw error;
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const failure = new Error(`rule ${rule.id} failed on ${subject}: ${message}`, { cause: error });
    failure.stack = [failure.message, ...(stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))].join("\n");
    throw failure;
  }
}

/** What `judge` returns. The compiler of a pack may not have seen its type. */
function checksOf(rule: Rule, given: unknown): readonly Check[] {
  const isIterable = typeof given === "object" && given !== null && Symbol.iterator in given;
  const checks: unknown[] = isIterable ? [...(given as Iterable<unknown>)] : [given];
  const at = checks.findIndex((check) => !isRecord(check) || typeof check["violation"] !== "function");
  if (at < 0) return checks as Check[];
  const why = "Must yield checks.";
  const fix = "make judge a generator, and yield failIf() or adviseIf() for each check";
  throw new InputError(`rule ${rule.id}`, [{ code: "wrong-type", path: "judge", got: checks[at], why, fix }]);
}

function outcomes(resource: Resource | undefined, checks: readonly Check[]): Outcome[] {
  const judged = (advisory: boolean) =>
    combine(checks.filter((check) => check.advisory === advisory)).map((one) => ({ resource, advisory, ...one }));
  const violations = judged(false);
  const advice = judged(true);
  return violations.length === 0 ? advice : [...violations, ...advice.filter(({ verdict }) => verdict === "fail")];
}

/** Every check that fails counts. An undetermined check counts only if none fails: it does not hide a clear verdict. */
function combine(checks: readonly Check[]): Pick<Outcome, "verdict" | "message">[] {
  const messages = new Set(
    checks.filter(({ condition }) => condition === true).map(({ violation }) => renderFinding(violation(), "", "")),
  );
  if (messages.size > 0) return [...messages].map((message) => ({ verdict: "fail", message }));
  const open = any(...checks.map(({ condition }) => condition));
  if (!(open instanceof Undetermined) || open.paths.length === 0) return [];
  const are = open.paths.length === 1 ? "is" : "are";
  return [{ verdict: "unknown", message: `cannot be judged yet: ${open.paths.join(", ")} ${are} not known` }];
}

function isExempt(resource: Resource | undefined, patterns: readonly string[]): boolean {
  return resource !== undefined && matchesAny(resource.name, patterns);
}
