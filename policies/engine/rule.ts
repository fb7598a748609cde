import { texts, type Parameters, type ValuesOf } from "./parameters";
import type { Resource, Stack, Surroundings } from "./resource";
import type { Truth } from "../../components/core/reader/truth";

// What the code of a rule is written with.
export { count, numbers, oneOf, text, texts, type ValuesOf } from "./parameters";
export { withPatch, type Resource, type Stack, type Surroundings } from "./resource";

export type Severity = "low" | "medium" | "high" | "critical";

/** The most severe first. */
export const severities: readonly Severity[] = ["critical", "high", "medium", "low"];

/**
 * What is wrong with a resource, where, and what to do. Never contains a string of the resource: see `Reading.shown`.
 */
export interface Violation {
  /** The property as the user writes it. */
  readonly path: string;
  /** The value, as `Reading.shown` describes it. */
  readonly got: string;
  /** The harm that it does, in whole sentences. */
  readonly why: string;
  /** What to do, in the imperative. */
  readonly fix: string;
}

/** One check of a rule. The violation is built only if the condition is true. */
export interface Check {
  readonly condition: Truth;
  /** Stays a warning, whatever the level of the rule. */
  readonly advisory: boolean;
  readonly violation: () => Violation;
  /** Of a stack rule: the resource to report; without one it is the stack. */
  readonly resource?: Resource | undefined;
}

export function failIf(condition: Truth, violation: () => Violation, resource?: Resource): Check {
  return { condition, advisory: false, violation, resource };
}

/** A check that only warns, also in a mandatory rule. */
export function adviseIf(condition: Truth, violation: () => Violation, resource?: Resource): Check {
  return { condition, advisory: true, violation, resource };
}

interface RuleDefinition<P extends Parameters> {
  /** Name of the policy, lower case with hyphens. */
  readonly id: string;
  /** What the rule requires, as a sentence. */
  readonly title: string;
  readonly severity: Severity;
  /** What happened without the rule, as the end of the sentence "Without it: …". */
  readonly incident: string;
  /** Type tokens of the resources that it reads. It gets no others. */
  readonly types: readonly string[];
  /** What a policy configuration may change. Every rule also has `exempt`. */
  readonly parameters?: P;
}

interface ResourceRuleDefinition<P extends Parameters> extends RuleDefinition<P> {
  /** Checks one resource. It passes if no check fails and none is undetermined. */
  judge(resource: Resource, parameters: ValuesOf<P & Exempt>, surroundings: Surroundings): Iterable<Check>;
}

/** Judges a stack part by part. */
type Division = (stack: Stack, judge: (part: Stack) => Iterable<Check>) => Iterable<Check>;

export interface StackRuleDefinition<P extends Parameters> extends RuleDefinition<P> {
  /** Divides the stack into parts that have nothing to do with each other. @default the whole stack is one part */
  readonly division?: Division;
  /** Checks all resources of its types together. */
  judge(stack: Stack, parameters: ValuesOf<P & Exempt>, surroundings: Surroundings): Iterable<Check>;
}

/** The parameter that every rule has. */
const exempt = texts([], "Names of resources that the rule ignores. `*` matches any text, `?` one character.");

export interface Exempt {
  readonly exempt: typeof exempt;
}
type WithExempt = Parameters & Exempt;

/** A rule without the exact types of its parameters, so that a pack can hold rules of all kinds. */
export interface ResourceRule extends Required<ResourceRuleDefinition<WithExempt>> {
  readonly scope: "resource";
}
export interface StackRule extends Required<StackRuleDefinition<WithExempt>> {
  readonly scope: "stack";
}
export type Rule = ResourceRule | StackRule;

/** What the types of a pack know of a rule: its name and parameters. */
export interface Typed<Id extends string, P extends Parameters> {
  readonly id: Id;
  readonly parameters: P & Exempt;
}

/**
 * A rule that judges each resource on its own.
 *
 * @example
 * export const gpuNodeDisk = resourceRule({
 *   id: "gpu-node-disk",
 *   title: "GPU nodes have disk space for CUDA images.",
 *   severity: "medium",
 *   incident: "a node with 20 GiB evicted its pods while it pulled the second CUDA image",
 *   types: ["aws:eks/nodeGroup:NodeGroup"],
 *   parameters: { minGiB: count(100, 1, "Smallest disk, in GiB.") },
 *   *judge(group, { minGiB }) {
 *     const disk = group.integer("diskSize").or(20);
 *     const isGpu = group.text("amiType").is((type) => type.includes("NVIDIA"));
 *     const small = disk.is((size) => size < minGiB);
 *     yield failIf(all(isGpu, small), () => ({
 *       path: disk.path,
 *       got: disk.shown,
 *       why: "CUDA images fill it.",
 *       fix: `set ${disk.path} to ${minGiB} or more`,
 *     }));
 *   },
 * });
 */
export function resourceRule<P extends Parameters = Record<never, never>, const Id extends string = string>(
  definition: ResourceRuleDefinition<P> & { readonly id: Id },
): ResourceRule & Typed<Id, P> {
  return { ...definition, parameters: withExempt(definition.parameters), scope: "resource" };
}

/** A rule that judges the resources of a stack together, by their inputs. */
export function stackRule<P extends Parameters = Record<never, never>, const Id extends string = string>(
  definition: StackRuleDefinition<P> & { readonly id: Id },
): StackRule & Typed<Id, P> {
  const division: Division = definition.division ?? ((stack, judge) => judge(stack));
  return { ...definition, division, parameters: withExempt(definition.parameters), scope: "stack" };
}

/** A rule without parameters of its own has P = Record<never, never>, to which the compiler cannot assign. */
function withExempt<P extends Parameters>(parameters: P | undefined): P & Exempt {
  return { ...parameters, exempt } as P & Exempt;
}

/** Where a value is. A reading also shows the value. */
interface Place {
  readonly path: string;
  readonly shown?: string;
}

/** What is wrong with a value. */
interface Fault extends Pick<Violation, "why" | "fix"> {
  /** @default the value, as the reading shows it */
  readonly got?: string;
}
type FaultAt<P extends Place> = P extends Required<Place> ? Fault : Required<Fault>;

/** A check of one value. */
export function failAt<P extends Place>(place: P, condition: Truth, fault: FaultAt<P>): Check {
  return failIf(condition, () => violationAt(place, fault));
}

/** The same, but it only warns. */
export function adviseAt<P extends Place>(place: P, condition: Truth, fault: FaultAt<P>): Check {
  return adviseIf(condition, () => violationAt(place, fault));
}

function violationAt({ path, shown: got = "" }: Place, fault: Fault): Violation {
  return { path, got, ...fault };
}

/** The checks of a stack rule for one resource. They are reported there, unless they name another resource. */
export function* on(resource: Resource, checks: Iterable<Check>): Iterable<Check> {
  for (const check of checks) yield { ...check, resource: check.resource ?? resource };
}

/** The checks of a stack rule for each of some resources. */
export function* onEach(
  resources: readonly Resource[],
  judge: (resource: Resource) => Iterable<Check>,
): Iterable<Check> {
  for (const resource of resources) yield* on(resource, judge(resource));
}
