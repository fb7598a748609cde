import { texts, type Parameters, type ValuesOf } from "./parameters";
import type { Resource, Stack, Surroundings } from "./resource";
import type { Truth } from "../../components/core/reader/truth";

export type Severity = "low" | "medium" | "high" | "critical";

/** What is wrong with a resource, where, and what to do. Never holds a text of the resource: see `Reading.shown`. */
export interface Fault {
  /** The property as the user writes it. */
  readonly path: string;
  /** What stands there, as `Reading.shown` puts it. */
  readonly got: string;
  /** Why it does harm, in whole sentences. */
  readonly why: string;
  /** What to do about it, in the imperative. */
  readonly fix: string;
}

/** One thing a rule looks at. The fault is described only if the condition holds. */
export interface Check {
  readonly condition: Truth;
  /** Stays a warning, whatever the level of the rule. */
  readonly advisory: boolean;
  readonly fault: () => Fault;
  /** Of a stack rule: the resource to blame; without one it is the stack. */
  readonly resource?: Resource | undefined;
}

export function failIf(condition: Truth, fault: () => Fault, resource?: Resource): Check {
  return { condition, advisory: false, fault, resource };
}

/** A check that only ever warns, also in a mandatory rule. */
export function adviseIf(condition: Truth, fault: () => Fault, resource?: Resource): Check {
  return { condition, advisory: true, fault, resource };
}

interface RuleFacts<P extends Parameters> {
  /** Name of the policy, lower case with hyphens. */
  readonly id: string;
  /** What holds if nobody breaks the rule, as a sentence. */
  readonly title: string;
  readonly severity: Severity;
  /** What happened where nobody checked. */
  readonly incident: string;
  /** Type tokens of the resources it reads; it sees no others. */
  readonly types: readonly string[];
  /** What a policy configuration may change. Every rule has `exempt` besides. */
  readonly parameters?: P;
}

interface ResourceRuleFacts<P extends Parameters> extends RuleFacts<P> {
  /** Checks one resource. Nothing wrong and nothing undetermined means that it passes. */
  judge(resource: Resource, parameters: ValuesOf<P & Exempt>, surroundings: Surroundings): Iterable<Check>;
}

interface StackRuleFacts<P extends Parameters> extends RuleFacts<P> {
  /** Checks all resources of its types together. */
  judge(stack: Stack, parameters: ValuesOf<P & Exempt>, surroundings: Surroundings): Iterable<Check>;
}

/** Names of resources that a rule leaves alone. */
const exempt = texts([], "Names of resources that the rule leaves alone; * stands for any text, ? for one character.");

interface Exempt {
  readonly exempt: typeof exempt;
}
type WithExempt = Parameters & Exempt;

/** A rule whose parameters have lost their exact types: a pack holds rules of all kinds. */
export type ResourceRule = Required<ResourceRuleFacts<WithExempt>> & { readonly scope: "resource" };
export type StackRule = Required<StackRuleFacts<WithExempt>> & { readonly scope: "stack" };
export type Rule = ResourceRule | StackRule;

/**
 * A rule that judges each resource on its own.
 *
 * @example
 * export const gpuNodeDisk = resourceRule({
 *   id: "gpu-node-disk",
 *   title: "A GPU node has room for CUDA images.",
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
  facts: ResourceRuleFacts<P> & { readonly id: Id },
): ResourceRule & { readonly id: Id } {
  return { ...facts, parameters: { ...facts.parameters, exempt }, scope: "resource" };
}

/** A rule that judges resources of a stack together, by their inputs. */
export function stackRule<P extends Parameters = Record<never, never>, const Id extends string = string>(
  facts: StackRuleFacts<P> & { readonly id: Id },
): StackRule & { readonly id: Id } {
  return { ...facts, parameters: { ...facts.parameters, exempt }, scope: "stack" };
}
