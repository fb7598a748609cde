import { getProject, getStack, runtime } from "@pulumi/pulumi";
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
import { optionalProperty } from "../../components/core/reader/records";
import { checkConfiguration } from "./configuration-check";
import { Deduplication } from "./deduplication";
import { pageLines, type Level, type Pack } from "./pack";
import { PolicyConfigError, policyConfigProblems } from "./policy-config";
import { holdsObjects, resourcesOf } from "./objects";
import { isOneOf, Stack, surroundings, type AnalyzedResource, type Resource, type Surroundings } from "./resource";
import type { ResourceRule, Rule, StackRule } from "./rule";
import { judgeResource, judgeStack, type Outcome } from "./verdict";

/**
 * Serves a pack to the engine. The process must not write to its standard output before: the engine reads the first
 * line as the port to call.
 */
export function startServer(pack: Pack): void {
  const check = checkConfiguration((config) => {
    const problems = policyConfigProblems(pack, config);
    return problems.length > 0 ? new PolicyConfigError(problems).message : undefined;
  });
  new PolicyPack(pack.name, { description: pack.description, policies: policiesOf(pack) });
  if (!check.isActive) {
    process.stderr.write("This version of @pulumi/policy ignores mistakes in the policy configuration.\n");
  }
}

/** The policies of a pack as the SDK expects them. Each rule is one policy under its own name. */
export function policiesOf(pack: Pack): Policies {
  const run: Run = { deduplication: new Deduplication(), inputs: new Map(), surroundings: undefined };
  return pack.rules.map(({ rule, level, page }) => {
    const policy = policyOf(rule, level);
    return rule.scope === "resource"
      ? { ...policy, validateResource: resourceValidation(rule, page, run) }
      : { ...policy, validateResource: collector(rule, run), validateStack: stackValidation(rule, page, run) };
  });
}

/** The page of a rule, if it has one. */
type Page = string | undefined;

/** What the policies know of the current preview or update. */
interface Run {
  readonly deduplication: Deduplication;
  /** By URN. */
  readonly inputs: Map<string, AnalyzedResource>;
  surroundings: Surroundings | undefined;
}

function policyOf(rule: Rule, enforcementLevel: Level) {
  const schemas = Object.entries(rule.parameters).map(([name, { schema }]) => [name, schema] as const);
  const configSchema: PolicyConfigSchema = { properties: Object.fromEntries(schemas) };
  return { name: rule.id, description: rule.title, severity: rule.severity, enforcementLevel, configSchema };
}

function resourceValidation(rule: ResourceRule, page: Page, run: Run): ResourceValidation {
  return (args, report) => {
    const { deduplication } = run;
    deduplication.setParent(args.urn, args.opts.parent);
    const resources = judgedIn(rule, args.type, () => analyzed(args));
    if (resources.length === 0) return args.notApplicable(otherType);
    const outcomes = resources.flatMap((one) => judgeResource(rule, one, args.getConfig(), surroundingsOf(run)));
    deduplication.record(rule.id, args.urn, outcomes);
    const own = outcomes.filter((outcome) => !deduplication.isDuplicate(rule.id, args.urn, outcome));
    if (own.length < outcomes.length && own.length === 0) args.notApplicable("reported for its component");
    reportOutcomes({ rule, page }, own, args, report);
  };
}

/**
 * Keeps the inputs for {@link stackValidation}. The engine passes only outputs to a stack policy. In a first preview
 * these are empty for Kubernetes resources, and lack every property that contains an unknown value.
 * @see https://github.com/pulumi/pulumi/issues/7854
 */
function collector(rule: StackRule, run: Run): ResourceValidation {
  return (args: ResourceValidationArgs) => {
    run.deduplication.setParent(args.urn, args.opts.parent);
    if (judgedIn(rule, args.type, () => analyzed(args)).length === 0) return args.notApplicable(otherType);
    run.inputs.set(args.urn, analyzed(args));
    return args.notApplicable("judged with the whole stack");
  };
}

/** What a rule judges in a resource. Most resources have another type, and are not read for that. */
function judgedIn(rule: Rule, type: string, read: () => AnalyzedResource): Resource[] {
  if (!isOneOf(rule.types, type) && !holdsObjects(type)) return [];
  return resourcesOf(read()).filter((one) => isOneOf(rule.types, one.type));
}

const otherType = "it judges resources of other types";

function stackValidation(rule: StackRule, page: Page, run: Run): StackValidation {
  return (args, report) => {
    const resources = args.resources.flatMap((output) =>
      judgedIn(rule, output.type, () => ({ ...(run.inputs.get(output.urn) ?? analyzed(output)), ...linksOf(output) })),
    );
    const outcomes = judgeStack(rule, new Stack(resources), args.getConfig(), surroundingsOf(run));
    reportOutcomes({ rule, page }, outcomes, args, report);
  };
}

/**
 * Reports what fails. An unknown verdict is neither a violation nor a pass: the policy does not apply yet. The engine
 * does not show this, so a first preview stays quiet.
 */
function reportOutcomes(
  { rule, page }: { readonly rule: Rule; readonly page: Page },
  outcomes: readonly Outcome[],
  args: { notApplicable(reason?: string): never },
  report: ReportViolation,
): void {
  const withPage = (text: string) => [text, ...pageLines({ page })].join("\n");
  for (const { verdict, advisory, message, resource } of outcomes) {
    if (verdict === "unknown") continue;
    if (advisory) reportAdvisory(report, withPage(`${rule.title}\n${message}`), resource?.urn);
    else report(withPage(message), resource?.urn);
  }
  if (outcomes.length > 0 && outcomes.every(({ verdict }) => verdict === "unknown")) {
    args.notApplicable(outcomes[0]?.message);
  }
}

/**
 * The SDK also accepts an object with a separate enforcement level, although its types do not include it. An SDK that
 * accepts only strings converts the object to its message.
 * @see https://github.com/pulumi/pulumi-policy/blob/v1.21.0/sdk/nodejs/policy/server.ts makeReportViolationFun
 */
function reportAdvisory(report: ReportViolation, message: string, urn: string | undefined): void {
  const violation = { message, urn, enforcementLevel: "advisory", toString: () => message };
  report(violation as unknown as string, urn);
}

type PolicyInput = Pick<PolicyResource, "urn" | "type" | "name" | "props" | "opts" | "provider">;

function analyzed({ urn, type, name, props, opts, provider }: PolicyInput): AnalyzedResource {
  return {
    urn,
    type,
    name,
    properties: rawCopy(props),
    options: { ignoreChanges: opts.ignoreChanges },
    isChecked: true,
    ...optionalProperty("parent", opts.parent),
    ...optionalProperty("provider", provider?.urn),
  };
}

/**
 * The SDK passes a proxy that throws when an unknown value is read. Property descriptors bypass it, and the values in
 * them are plain.
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

/** The project, the stack and its configuration do not change while the process runs. */
function surroundingsOf(run: Run): Surroundings {
  run.surroundings ??= surroundings({ project: getProject(), stack: getStack(), config: runtime.allConfig() });
  return run.surroundings;
}
