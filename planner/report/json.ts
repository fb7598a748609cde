import { withoutUndefined } from "../../components/core/reader/records";
import type { CostReport } from "../cost/cost";
import { formatVersion, type HourlyCost } from "../diff/comparable-plan";
import { leasesOf, type LeaseFacts } from "../facts/leases";
import { sortedByKey, statesOf, type PreviewState } from "../facts/preview-state";
import { indexOf } from "../facts/resource-index";
import type { Plan } from "../plan";
import type { Diagnostic } from "../record/record";
import { isChanged, isRejected, totalCost, type Review, type StackCost, type StackReview } from "../review/review";
import type { Finding } from "../../policies/engine/judge";

export type { PreviewState } from "../facts/preview-state";

interface PreviewStep {
  readonly op: "create";
  readonly urn: string;
  readonly provider?: string;
  readonly newState: PreviewState;
  readonly detailedDiff: null;
}

/** The document of `plan --json`. */
export interface PreviewDocument {
  readonly formatVersion: number;
  readonly config?: Readonly<Record<string, string>>;
  readonly steps: readonly PreviewStep[];
  readonly diagnostics: readonly Diagnostic[];
  readonly changeSummary: { readonly create: number };
  readonly policies: readonly Finding[];
  readonly policyPack: Pick<Plan["pack"], "name" | "version" | "rules">;
  readonly cost: CostReport;
  readonly leases: readonly LeaseFacts[];
}

/**
 * A plan in the format of `pulumi preview --json`, with the policy findings and the cost. As in a preview, unknown
 * values are the engine's sentinel 04da6b54-80e4-46f7-96ec-b56ff0331ba9, secrets are `[secret]`, the keys of properties
 * are sorted, and the first step is the stack itself, without inputs. The document contains no time, so that equal plans
 * give equal documents.
 *
 * A plan does not contain the following parts of a preview:
 * - `duration`, and in each state `sourcePosition` and `stackTrace`;
 * - in `inputs`, additions of the provider: default values and generated names;
 * - the `provider` of a resource without an explicit one;
 * - the children of a remote component, such as those of `eks:index:Cluster`.
 *
 * `diagnostics` is always present. `formatVersion`, `policies`, `policyPack`, `cost` and `leases` are additions.
 *
 * @see https://github.com/pulumi/pulumi/blob/v3.260.0/pkg/display/json.go
 * @see https://github.com/pulumi/pulumi/blob/v3.260.0/pkg/backend/display/json.go
 */
export function renderJson(plan: Plan): PreviewDocument {
  const { diagnostics } = plan.recording;
  const { name, version, rules } = plan.pack;
  const steps = statesOf(plan.recording).map(stepOf);
  return {
    formatVersion,
    ...(plan.config && { config: sortedByKey(plan.config) }),
    steps,
    diagnostics: diagnostics.map(diagnosticOf),
    changeSummary: { create: steps.length },
    policies: plan.findings,
    policyPack: { name, version, rules },
    cost: plan.cost,
    leases: leasesOf(indexOf(plan.recording)),
  };
}

function stepOf(newState: PreviewState): PreviewStep {
  const { urn, provider } = newState;
  return { op: "create", urn, ...(provider !== undefined && { provider }), newState, detailedDiff: null };
}

/** As in the engine's output: the severity as a prefix, except for information, and a line break at the end. */
function diagnosticOf({ urn, severity, message }: Diagnostic): Diagnostic {
  const prefix = severity === "info" ? "" : `${severity}: `;
  return { ...(urn !== undefined && { urn }), message: `${prefix}${message}\n`, severity };
}

/**
 * The document of `plan --base FILE --json`: `changed` has the names of the stacks that differ, `failed` is whether the exit
 * status is not 0, and amounts are in USD per hour. A sum is null where a stack has no amount.
 */
export function renderReviewJson({ stacks, error, baseError }: Review) {
  return {
    failed: error !== undefined || stacks.some(isRejected),
    changed: stacks.filter(isChanged).map(({ stack }) => stack),
    cost: { atRest: sums(stacks, "atRest"), inUse: sums(stacks, "inUse") },
    stacks: stacks.map(stackOf),
    ...withoutUndefined({ error, baseError }),
  };
}

function stackOf({ stack, change, difference, atRest, inUse, findings, resolved, error, baseError }: StackReview) {
  const cost = { atRest: amounts(atRest), inUse: amounts(inUse) };
  return { stack, change, cost, findings, resolved, ...withoutUndefined({ difference, error, baseError }) };
}

function amounts({ before, after }: StackCost) {
  return withoutUndefined({ before: amount(before), after: amount(after) });
}

function amount(cost: HourlyCost | undefined) {
  return cost && { usdPerHour: cost.usdPerHour, complete: cost.complete };
}

function sums(stacks: readonly StackReview[], key: "atRest" | "inUse") {
  const { before, after } = totalCost(stacks, key);
  return { before: before?.usdPerHour ?? null, after: after?.usdPerHour ?? null };
}
