import { matchesAny } from "./glob";
import { valuesOf } from "./parameters";
import { Stack, type Resource, type Surroundings } from "./resource";
import type { Check, Fault, ResourceRule, StackRule } from "./rule";
import { any, Undetermined } from "../../components/core/reader/truth";

/** What a rule says about one resource, or about the stack where it blames none. A content rule says nothing. */
export interface Outcome {
  readonly resource: Resource | undefined;
  readonly verdict: "fail" | "unknown";
  /** Stays a warning, whatever the level of the rule. */
  readonly advisory: boolean;
  /** For a fail what is wrong, why, and how to put it right; else what the verdict waits for. */
  readonly message: string;
}

/** What a rule says about a resource of one of its types. */
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
  for (const check of rule.judge(new Stack(stack.ofType(...rule.types)), parameters, surroundings)) {
    if (isExempt(check.resource, parameters.exempt)) continue;
    const checks = byResource.get(check.resource);
    if (checks) checks.push(check);
    else byResource.set(check.resource, [check]);
  }
  return [...byResource].flatMap(([resource, checks]) => outcomes(resource, checks));
}

function outcomes(resource: Resource | undefined, checks: readonly Check[]): Outcome[] {
  const judged = (advisory: boolean) =>
    weigh(checks.filter((check) => check.advisory === advisory)).map((said) => ({ resource, advisory, ...said }));
  const hard = judged(false);
  const soft = judged(true);
  return hard.length === 0 ? soft : [...hard, ...soft.filter(({ verdict }) => verdict === "fail")];
}

/** Every check that fails counts. What is undetermined counts where none fails: it never spoils a clear verdict. */
function weigh(checks: readonly Check[]): Pick<Outcome, "verdict" | "message">[] {
  const messages = new Set(checks.filter(({ condition }) => condition === true).map(({ fault }) => messageOf(fault())));
  if (messages.size > 0) return [...messages].map((message) => ({ verdict: "fail", message }));
  const open = any(...checks.map(({ condition }) => condition));
  const waits = open instanceof Undetermined && open.paths.length > 0;
  return waits ? [{ verdict: "unknown", message: waitsFor(open.paths) }] : [];
}

function messageOf({ path, got, why, fix }: Fault): string {
  return `${path}: got ${got}. ${why}\nfix: ${fix}`;
}

function waitsFor(paths: readonly string[]): string {
  return `cannot be judged yet: ${paths.join(", ")} ${paths.length === 1 ? "is" : "are"} not known`;
}

function isExempt(resource: Resource | undefined, patterns: readonly string[]): boolean {
  return resource !== undefined && matchesAny(resource.name, patterns);
}
