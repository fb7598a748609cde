import type { Finding } from "../../policies/core/judge";
import type { CostReport } from "../cost";
import type { Plan } from "../plan";
import type { Diagnostic, RecordedOptions, RecordedResource, Recording } from "../record/record";
import type { Properties } from "../record/wire";
import { stackType } from "./facts/resource-index";
import { masked } from "./facts/secrets";

/** A resource as `pulumi preview --json` describes it. */
export interface PreviewState {
  readonly urn: string;
  readonly custom: boolean;
  readonly type: string;
  readonly inputs?: Properties;
  readonly parent?: string;
  readonly protect?: boolean;
  readonly dependencies?: readonly string[];
  readonly provider?: string;
  readonly propertyDependencies?: Readonly<Record<string, readonly string[]>>;
  /** In seconds. */
  readonly customTimeouts?: Readonly<Record<string, number>>;
  readonly retainOnDelete?: boolean;
  readonly deletedWith?: string;
  readonly ignoreChanges?: readonly string[];
}

export interface PreviewStep {
  readonly op: "create";
  readonly urn: string;
  readonly provider?: string;
  readonly newState: PreviewState;
  readonly detailedDiff: null;
}

/** The document of `plan --json`. */
export interface PreviewDocument {
  readonly config?: Readonly<Record<string, string>>;
  readonly steps: readonly PreviewStep[];
  readonly diagnostics: readonly Diagnostic[];
  readonly changeSummary: { readonly create: number };
  readonly policies: readonly Finding[];
  readonly policyPack: Plan["pack"];
  readonly cost: CostReport;
}

/**
 * A plan in the shape of `pulumi preview --json`, with the findings of the policies and the cost beside it. Unknown
 * values are the engine's sentinel 04da6b54-80e4-46f7-96ec-b56ff0331ba9, secrets are `[secret]`, and keys of
 * properties are sorted, as there. Equal plans give equal documents: it holds no time.
 *
 * What a preview by the engine has and a plan has not:
 * - `duration`, and in each state `sourcePosition` and `stackTrace`;
 * - in `inputs` what a provider's own check adds: default values and generated names;
 * - `provider` of a resource that leaves the choice to the engine: a plan knows the explicit ones only;
 * - the children of a remote component, such as those of `eks:index:Cluster`.
 *
 * `diagnostics` is here also when there are none; `policies`, `policyPack` and `cost` are additions.
 *
 * In both, the first step is the stack itself, without inputs.
 *
 * @see https://github.com/pulumi/pulumi/blob/v3.260.0/pkg/display/json.go
 * @see https://github.com/pulumi/pulumi/blob/v3.260.0/pkg/backend/display/json.go
 */
export function renderJson(plan: Plan): PreviewDocument {
  const { diagnostics } = plan.recording;
  const steps = statesOf(plan.recording).map(stepOf);
  return {
    ...(plan.config && { config: sortedByKey(plan.config) }),
    steps,
    diagnostics: diagnostics.map(diagnosticOf),
    changeSummary: { create: steps.length },
    policies: plan.findings,
    policyPack: plan.pack,
    cost: plan.cost,
  };
}

/** The state of each resource, the stack first; secrets are masked. */
export function statesOf({ resources }: Recording): PreviewState[] {
  const stackFirst = (a: RecordedResource, b: RecordedResource) =>
    Number(b.type === stackType) - Number(a.type === stackType);
  return [...resources].sort(stackFirst).map(stateOf);
}

function stepOf(newState: PreviewState): PreviewStep {
  const { urn, provider } = newState;
  return { op: "create", urn, ...(provider !== undefined && { provider }), newState, detailedDiff: null };
}

/** The engine puts the severity before the text, except on plain information, and ends it with a line break. */
function diagnosticOf({ urn, severity, message }: Diagnostic): Diagnostic {
  const prefix = severity === "info" ? "" : `${severity}: `;
  return { ...(urn !== undefined && { urn }), message: `${prefix}${message}\n`, severity };
}

/** The engine leaves out what is empty or false. */
function stateOf(resource: RecordedResource): PreviewState {
  const { urn, custom, type, parent, dependencies, provider, propertyDependencies, options } = resource;
  const inputs = sortedDeeply(masked(resource)) as Properties;
  return {
    urn,
    custom,
    type,
    ...(Object.keys(inputs).length > 0 && { inputs }),
    ...(parent !== undefined && { parent }),
    ...(options.protect && { protect: true }),
    ...(dependencies.length > 0 && { dependencies: [...dependencies].sort() }),
    ...(provider !== undefined && { provider }),
    ...(Object.keys(propertyDependencies).length > 0 && { propertyDependencies: sortedUrns(propertyDependencies) }),
    ...timeoutsOf(options),
    ...(options.retainOnDelete && { retainOnDelete: true }),
    ...(options.deletedWith !== undefined && { deletedWith: options.deletedWith }),
    ...(options.ignoreChanges.length > 0 && { ignoreChanges: options.ignoreChanges }),
  };
}

function timeoutsOf({ customTimeouts }: RecordedOptions): Pick<PreviewState, "customTimeouts"> {
  const given = Object.entries(customTimeouts ?? {}).filter(([, duration]) => duration !== "");
  if (given.length === 0) return {};
  return { customTimeouts: Object.fromEntries(given.map(([operation, duration]) => [operation, seconds(duration)])) };
}

const secondsOf: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001, us: 1e-6, ns: 1e-9 };

/** `1h30m` in seconds. @see https://pkg.go.dev/time#ParseDuration */
export function seconds(duration: string): number {
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|us|ns|h|m|s)/g)];
  return parts.reduce((sum, [, amount = "0", unit = "s"]) => sum + Number(amount) * (secondsOf[unit] ?? 0), 0);
}

function sortedUrns(dependencies: RecordedResource["propertyDependencies"]): Record<string, readonly string[]> {
  return sortedByKey(Object.fromEntries(Object.entries(dependencies).map(([key, urns]) => [key, [...urns].sort()])));
}

function sortedDeeply(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedDeeply);
  if (value === null || typeof value !== "object") return value;
  return sortedByKey(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sortedDeeply(item)])));
}

function sortedByKey<Value>(object: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
