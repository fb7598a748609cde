import { renderFinding } from "../../components/core/problems";
import { matchesAny } from "./glob";
import { valuesOf } from "./parameters";
import { Stack, type Resource, type Surroundings } from "./resource";
import type { Check, ResourceRule, StackRule } from "./rule";
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
  return outcomes(resource, [...rule.judge(resource, parameters, surroundings)]);
}

export function judgeStack(rule: StackRule, stack: Stack, configured: object, surroundings: Surroundings): Outcome[] {
  const parameters = valuesOf(rule.parameters, configured);
  const byResource = new Map<Resource | undefined, Check[]>();
  const own = new Stack(stack.ofType(...rule.types));
  for (const check of rule.division(own, (part) => rule.judge(part, parameters, surroundings))) {
    if (isExempt(check.resource, parameters.exempt)) continue;
    const checks = byResource.get(check.resource);
    if (checks) checks.push(check);
    else byResource.set(check.resource, [check]);
  }
  return [...byResource].flatMap(([resource, checks]) => outcomes(resource, checks));
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
  const isUnknown = open instanceof Undetermined && open.paths.length > 0;
  return isUnknown ? [{ verdict: "unknown", message: unknownMessage(open.paths) }] : [];
}

function unknownMessage(paths: readonly string[]): string {
  return `cannot be judged yet: ${paths.join(", ")} ${paths.length === 1 ? "is" : "are"} not known`;
}

function isExempt(resource: Resource | undefined, patterns: readonly string[]): boolean {
  return resource !== undefined && matchesAny(resource.name, patterns);
}
