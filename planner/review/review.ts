import { Reader } from "../../components/core/reader/reader";
import { isRecord, withoutUndefined } from "../../components/core/reader/records";
import {
  parsed,
  savedPlanOf,
  wrongFile,
  comparablePlan,
  costsIn,
  type ComparablePlan,
  type HourlyCost,
} from "../diff/comparable-plan";
import { differenceOf, type PlanDifference } from "../diff/diff";
import { mandatoryFailures, type Plan } from "../plan";
import type { Finding } from "../../policies/engine/judge";

/** What identifies a finding in two plans. */
type FindingFacts = Pick<Finding, "rule" | "level" | "verdict" | "urn" | "message">;

/** The plan of a stack in the base. */
interface BasePlan extends ComparablePlan {
  /** Absent in a preview by the engine. */
  readonly findings?: readonly FindingFacts[];
}

/** A stack that cannot be planned. */
interface FailedStack {
  readonly stack: string;
  readonly error: string;
}

/** The plans of the base of a pull request. */
export interface Base {
  /** Why the base has no plans; empty if there is no base. */
  readonly error?: string;
  readonly plans: readonly BasePlan[];
  readonly failed: readonly FailedStack[];
}

/**
 * Reads the plans that `plan --all --json` wrote, also of an older version. `{"error": "TEXT"}` stands for a base that has no
 * plans, with an empty text for no base at all, and in the list, with `stack`, for a stack that could not be planned.
 *
 * @param file its name, for messages
 * @throws InputError when the text is not such a document.
 */
export function readBase(text: string, file: string): Base {
  const document = parsed(text, file);
  const error = new Reader(document).text("error").value;
  if (error !== undefined) return { error, plans: [], failed: [] };
  if (!Array.isArray(document) && !isRecord(document)) {
    throw wrongFile(file, document, "Must be a list of plans.", "save the base with plan --all --json > FILE.json");
  }
  const entries = [document].flat().map((entry: unknown, index) => entryOf(entry, `${file} [${index}]`));
  const stacks = entries.map((entry) => ("error" in entry ? entry.stack : entry.name));
  const repeated = stacks.find((stack, index) => stacks.indexOf(stack) !== index);
  if (repeated !== undefined) {
    const fix = "save the base of one project with plan --all --json > FILE.json";
    throw wrongFile(file, document, `Must have one plan of each stack. It has several of ${repeated}.`, fix);
  }
  return {
    plans: entries.filter((entry) => "resources" in entry),
    failed: entries.filter((entry) => "error" in entry),
  };
}

function entryOf(entry: unknown, path: string): BasePlan | FailedStack {
  const content = new Reader(entry);
  const [stack, error] = [content.text("stack").value, content.text("error").value];
  if (stack !== undefined && error !== undefined) return { stack, error };
  const { name, ...plan } = savedPlanOf(entry, path);
  if (name === undefined) throw wrongFile(`${path} steps`, [], "Must contain a resource, whose URN names the stack.");
  return { name, ...plan, ...withoutUndefined({ findings: findingsOf(entry) }) };
}

function findingsOf(document: unknown): readonly FindingFacts[] | undefined {
  const policies = isRecord(document) ? document["policies"] : undefined;
  return Array.isArray(policies) ? policies.filter(isFinding) : undefined;
}

function isFinding(value: unknown): value is FindingFacts {
  const texts = ["rule", "level", "verdict", "urn", "message"];
  return isRecord(value) && texts.every((key) => typeof value[key] === "string");
}

/** A stack of the head: its plan, or why there is none. */
export type StackPlan = { readonly stack: string; readonly plan: Plan } | FailedStack;

/** `unknown`: one side has no plan, because it cannot be planned. */
type StackChange = "added" | "removed" | "changed" | "unchanged" | "unknown";

/** The cost of a stack in USD per hour; absent where it has no plan or no cost. */
export interface StackCost {
  readonly before?: HourlyCost | undefined;
  readonly after?: HourlyCost | undefined;
}

/** A finding of the head. */
export type ReviewedFinding = Finding & {
  /** Whether the base does not have it; `undefined` without a base. */
  readonly isNew?: boolean;
};

/** A stack in the base and in the head of a pull request. */
export interface StackReview {
  readonly stack: string;
  readonly change: StackChange;
  /** The plan of the head. */
  readonly plan?: Plan;
  /** Of an added or removed stack: from or to nothing. Absent without a base. */
  readonly difference?: PlanDifference;
  /** At the desired sizes. */
  readonly atRest: StackCost;
  /** With every GPU node group at its maximum. */
  readonly inUse: StackCost;
  readonly findings: readonly ReviewedFinding[];
  /** The number of findings that only the base has. */
  readonly resolved: number;
  /** Why the head has no plan. */
  readonly error?: string;
  /** Why the base has no plan. */
  readonly baseError?: string;
}

/** What a pull request changes. */
export interface Review {
  readonly stacks: readonly StackReview[];
  /** Further stacks, which equal those of the base and are not judged. @default none */
  readonly unjudged?: readonly string[];
  /** Why the head has no plans at all. */
  readonly error?: string;
  /** Why the base has no plans at all; empty if there is no base. */
  readonly baseError?: string;
}

/**
 * Compares the stacks of a pull request's head with those of its base.
 *
 * @param base @default nothing is compared
 */
export function reviewOf(head: readonly StackPlan[], base?: Base): Review {
  const inHead = new Set(head.map(({ stack }) => stack));
  const removed = (base?.plans ?? []).filter(({ name }) => !inHead.has(name));
  const stacks = [...head.map((one) => stackReview(one, base)), ...removed.map(removedStack)];
  stacks.sort((a, b) => (a.stack < b.stack ? -1 : 1));
  return { stacks, ...(base?.error !== undefined && { baseError: base.error }) };
}

/** Whether the head or the base has something to tell about a stack. */
export function isChanged({ change }: StackReview): boolean {
  return change !== "unchanged";
}

/** The cost of all stacks; a side without an amount has a stack without one. */
export function totalCost(stacks: readonly StackReview[], key: "atRest" | "inUse"): StackCost {
  return withoutUndefined({ before: sumOf(stacks, key, "before"), after: sumOf(stacks, key, "after") });
}

function sumOf(stacks: readonly StackReview[], key: "atRest" | "inUse", side: keyof StackCost): HourlyCost | undefined {
  const costs = stacks.map((review) => review[key][side]).filter((cost) => cost !== undefined);
  if (costs.length === 0 || costs.length < stacks.length) return undefined;
  const usdPerHour = costs.reduce((sum, cost) => sum + cost.usdPerHour, 0);
  return { usdPerHour, complete: costs.every(({ complete }) => complete) };
}

/** Whether a stack of the head cannot be planned, or a mandatory rule rejects it. */
export function isRejected({ error, findings }: StackReview): boolean {
  return error !== undefined || mandatoryFailures({ findings }).length > 0;
}

function stackReview(head: StackPlan, base: Base | undefined): StackReview {
  const { stack } = head;
  const before = base?.plans.find(({ name }) => name === stack);
  const baseError = base?.failed.find((failed) => failed.stack === stack)?.error;
  const told = withoutUndefined({ baseError });
  if ("error" in head) return { ...unknown, ...head, ...costsOf(before, undefined), ...told };
  const isCompared = base !== undefined && base.error === undefined && baseError === undefined;
  return { ...told, ...(isCompared ? comparedStack(head.plan, before) : unknownStack(head.plan)) };
}

const unknown = { change: "unknown", findings: [], resolved: 0 } as const;

/** A stack whose base is not known. */
function unknownStack(plan: Plan): StackReview {
  const { findings, recording } = plan;
  return { ...unknown, stack: recording.stack, plan, ...costsOf(undefined, costsIn(plan)), findings };
}

/** @param before `undefined` if the base does not have the stack */
function comparedStack(plan: Plan, before: BasePlan | undefined): StackReview {
  const { stack } = plan.recording;
  const { difference, findings, resolved } = comparison(before ?? emptyPlan(stack), plan);
  const cost = costsOf(before ?? nothing, costsIn(plan));
  const change = before ? changeOf({ ...cost, findings, resolved }, difference) : "added";
  return { stack, change, plan, difference, ...cost, findings, resolved };
}

function removedStack(before: BasePlan): StackReview {
  const { name: stack } = before;
  const cost = costsOf(before, nothing);
  const difference = differenceOf(before, emptyPlan(stack));
  return { stack, change: "removed", difference, ...cost, findings: [], resolved: before.findings?.length ?? 0 };
}

type Costs = Pick<BasePlan, "atRest" | "inUse">;

function costsOf(before: Costs | undefined, after: Costs | undefined): Pick<StackReview, "atRest" | "inUse"> {
  return {
    atRest: { before: before?.atRest, after: after?.atRest },
    inUse: { before: before?.inUse, after: after?.inUse },
  };
}

const zero: HourlyCost = { usdPerHour: 0, complete: true };

/** The costs of a stack that is not there. */
const nothing: Costs = { atRest: zero, inUse: zero };

function emptyPlan(name: string): BasePlan {
  return { name, resources: [], findings: [] };
}

/** The resources that differ, and the findings with those of the base taken off. */
function comparison(before: BasePlan, plan: Plan) {
  const difference = differenceOf(before, comparablePlan(plan));
  if (!before.findings) return { difference, findings: plan.findings, resolved: 0 };
  const known = before.findings.map(findingKey);
  const findings = plan.findings.map((finding) => {
    const at = known.indexOf(findingKey(finding));
    if (at >= 0) known.splice(at, 1);
    return { ...finding, isNew: at < 0 };
  });
  return { difference, findings, resolved: known.length };
}

/**
 * The rule, the resource without its stack and project, and the property. The rest of a message does not count: the same
 * problem may have another value in the head.
 */
export function findingKey({ rule, level, verdict, urn, message }: FindingFacts): string {
  return JSON.stringify([rule, level, verdict, urn.split("::").slice(2).join("::"), message.split(": got ")[0]]);
}

type Compared = Pick<StackReview, "atRest" | "inUse" | "findings" | "resolved">;

function changeOf(review: Compared, { added, removed, changed }: PlanDifference): StackChange {
  const { atRest, inUse, findings, resolved } = review;
  const differs =
    added.length + removed.length + changed.length + resolved > 0 ||
    findings.some(({ isNew }) => isNew) ||
    [atRest, inUse].some(({ before, after }) => before !== undefined && !isEqualCost(before, after));
  return differs ? "changed" : "unchanged";
}

/** A saved amount is the amount itself, but the sum may have another order in another version. */
function isEqualCost(before: HourlyCost, after: HourlyCost | undefined): boolean {
  return after?.complete === before.complete && after.usdPerHour.toFixed(4) === before.usdPerHour.toFixed(4);
}
