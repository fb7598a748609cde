import "./lean-start";
import { getProject, getStack } from "@pulumi/pulumi/runtime/settings";
import { allConfig } from "@pulumi/pulumi/runtime/config";
import {
  PolicyPack,
  type Policies,
  type PolicyConfigSchema,
  type PolicyResource,
  type ReportViolation,
  type ResourceValidation,
  type ResourceValidationArgs,
  type StackValidation,
} from "@pulumi/policy";
import { Echoes } from "./echoes";
import { analysisByType, otherType, stackAnalysisByType, withStack } from "./lean-analysis";
import {
  changeHandlers,
  checkedConfiguration,
  inputsOf,
  linksIn,
  shareDeserialisedProperties,
  type Handlers,
  type Links,
} from "./lean-sdk";
import { PolicyConfigError, policyConfigProblems, type Level, type Pack } from "./policy-config";
import { Resource, Stack, surroundings, type AnalyzedResource, type Surroundings } from "./resource";
import type { ResourceRule, Rule, StackRule } from "./rule";
import { judgeResource, judgeStack, type Outcome } from "./verdict";

/**
 * Serves a pack to the engine. The process must have printed nothing before: the engine reads the first line of its
 * standard output as the port to call.
 */
export function serve(pack: Pack): void {
  const memory = newMemory();
  const policies = policiesOf(pack, memory);
  shareDeserialisedProperties();
  const served = { pack, policies };
  changeHandlers(({ configure, analyze, analyzeStack, ...handlers }) => ({
    ...handlers,
    configure: checkedConfiguration(configure, (config) => {
      const problems = policyConfigProblems(pack, config);
      if (problems.length > 0) throw new PolicyConfigError(problems);
    }),
    analyze: remembering(memory, pack, analysisByType(served) ?? analyze),
    analyzeStack: linking(memory, stackAnalysisByType(served) ?? analyzeStack),
  }));
  new PolicyPack(pack.name, { description: pack.description, policies });
}

/** Keeps of every resource its place among the others, and the inputs of those that rules judge with the whole stack. */
function remembering({ echoes, inputs }: Memory, { rules }: Pack, analyze: Handlers["analyze"]): Handlers["analyze"] {
  const types = new Set(rules.flatMap(({ rule }) => (rule.scope === "stack" ? rule.types : [])));
  return (call, answer) => {
    const { request } = call;
    echoes.place(request.getUrn(), request.getOptions()?.getParent());
    const seen = types.has(request.getType()) ? inputsOf(request) : undefined;
    if (seen) inputs.set(seen.urn, seen);
    analyze(call, answer);
  };
}

/** Each policy is shown the types that it reads: what they depend on is looked up before. */
function linking(memory: Memory, analyzeStack: Handlers["analyzeStack"]): Handlers["analyzeStack"] {
  return (call, answer) => {
    memory.links = linksIn(call.request);
    analyzeStack(call, answer);
  };
}

/** The policies of a pack as the SDK wants them. Each rule is one policy under its own name. */
export function policiesOf(pack: Pack, memory = newMemory()): Policies {
  return pack.rules.map(({ rule, level }) => {
    const facts = factsOf(rule, level);
    return rule.scope === "resource"
      ? { ...facts, validateResource: resourceValidation(rule, memory) }
      : { ...facts, validateResource: collector(rule, memory), validateStack: stackValidation(rule, memory) };
  });
}

/** What one run of the engine told so far. */
interface Memory {
  readonly echoes: Echoes;
  /** By URN. */
  readonly inputs: Map<string, AnalyzedResource>;
  /** By URN. */
  links: ReadonlyMap<string, Links>;
  surroundings: Surroundings | undefined;
}

function newMemory(): Memory {
  return { echoes: new Echoes(), inputs: new Map(), links: new Map(), surroundings: undefined };
}

function factsOf(rule: Rule, enforcementLevel: Level) {
  const properties = Object.entries(rule.parameters).map(([name, { schema }]) => [name, schema]);
  const configSchema: PolicyConfigSchema = {
    properties: Object.fromEntries(properties) as PolicyConfigSchema["properties"],
  };
  return { name: rule.id, description: rule.title, severity: rule.severity, enforcementLevel, configSchema };
}

/**
 * The SDK deserialises a resource anew for every validation function, unless the policy has only one and that is
 * typed: hence one function a rule, typed where the rule reads one type.
 */
function typed<Validation extends object>(rule: Rule, validation: Validation): Validation {
  return rule.types.length === 1 ? Object.assign(validation, { __pulumiType: rule.types[0] }) : validation;
}

function resourceValidation(rule: ResourceRule, memory: Memory): ResourceValidation {
  return typed(rule, (args: ResourceValidationArgs, report: ReportViolation) => {
    const { echoes } = memory;
    echoes.place(args.urn, args.opts.parent);
    if (!rule.types.includes(args.type)) decline(args, otherType);
    const resource = new Resource(analyzed(args));
    const outcomes = judgeResource(rule, resource, args.getConfig(), surroundingsOf(memory));
    echoes.note(rule.id, args.urn, outcomes);
    const own = outcomes.filter((outcome) => !echoes.isEcho(rule.id, args.urn, outcome));
    if (own.length < outcomes.length && own.length === 0) decline(args, "its component is to blame");
    tell(rule, own, args, report);
  });
}

/**
 * Keeps the inputs for {@link stackValidation}: the engine shows a stack policy only outputs, which in a first
 * preview are empty for Kubernetes and lack every property with something unknown in it.
 * @see https://github.com/pulumi/pulumi/issues/7854
 */
function collector(rule: StackRule, { inputs }: Memory): ResourceValidation {
  return typed(rule, (args: ResourceValidationArgs) => {
    if (!rule.types.includes(args.type)) decline(args, otherType);
    inputs.set(args.urn, analyzed(args));
    decline(args, withStack);
  });
}

function stackValidation(rule: StackRule, memory: Memory): StackValidation {
  return (args, report) => {
    const resources = args.resources
      .filter(({ type }) => rule.types.includes(type))
      .map((seen) => ({
        ...(memory.inputs.get(seen.urn) ?? analyzed(seen)),
        ...(memory.links.get(seen.urn) ?? linksOf(seen)),
      }))
      .map((resource) => new Resource(resource));
    tell(rule, judgeStack(rule, new Stack(resources), args.getConfig(), surroundingsOf(memory)), args, report);
  };
}

/**
 * Reports what fails. What is unknown is neither a violation nor a pass: the policy does not apply yet, which the
 * engine shows nobody, so that a first preview stays quiet.
 */
function tell(
  rule: Rule,
  outcomes: readonly Outcome[],
  args: { notApplicable(reason?: string): never },
  report: ReportViolation,
): void {
  for (const { verdict, advisory, message, resource } of outcomes) {
    if (verdict === "unknown") continue;
    if (advisory) reportAdvisory(report, `${rule.title}\n${message}`, resource?.urn);
    else report(message, resource?.urn);
  }
  if (outcomes.length > 0 && outcomes.every(({ verdict }) => verdict === "unknown")) {
    decline(args, outcomes[0]?.message);
  }
}

/**
 * The SDK takes an object too, with a level of its own, though its types do not say so.
 * @see https://github.com/pulumi/pulumi-policy/blob/v1.21.0/sdk/nodejs/policy/server.ts
 */
function reportAdvisory(report: ReportViolation, message: string, urn: string | undefined): void {
  const violation = { message, urn, enforcementLevel: "advisory" };
  report(violation as unknown as string);
}

type Seen = Pick<PolicyResource, "urn" | "type" | "name" | "props" | "opts">;

function analyzed({ urn, type, name, props, opts }: Seen): AnalyzedResource {
  return { urn, type, name, properties: rawCopy(props), options: { ignoreChanges: opts.ignoreChanges } };
}

/**
 * The SDK hands over a proxy that throws when an unknown value is read. Descriptors go past it, and what they hold
 * is no proxy any more.
 */
function rawCopy(props: object): Record<string, unknown> {
  const descriptors = Object.entries(Object.getOwnPropertyDescriptors(props));
  return Object.fromEntries(descriptors.map(([key, { value }]) => [key, value as unknown]));
}

function linksOf({ dependencies, propertyDependencies }: PolicyResource) {
  const urns = (resources: readonly PolicyResource[]) => resources.map(({ urn }) => urn);
  const byProperty = Object.entries(propertyDependencies).map(([name, resources]) => [name, urns(resources)] as const);
  return { dependencies: urns(dependencies), propertyDependencies: Object.fromEntries(byProperty) };
}

/** They stay as they are for as long as the engine keeps the process. */
function surroundingsOf(memory: Memory): Surroundings {
  memory.surroundings ??= surroundings({ project: getProject(), stack: getStack(), config: allConfig() });
  return memory.surroundings;
}

/**
 * Says that the policy has nothing to say here, which the SDK takes as a thrown error. For most resources most policies do,
 * and a stack trace of each would be a third of the time of an analysis.
 */
function decline(args: { notApplicable(reason?: string): never }, reason: string | undefined): never {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return args.notApplicable(reason);
  } finally {
    Error.stackTraceLimit = limit;
  }
}
