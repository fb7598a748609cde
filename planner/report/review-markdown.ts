import { countOf, shortened } from "../../components/core/text";
import type { HourlyCost } from "../diff/comparable-plan";
import {
  isChanged,
  isRejected,
  totalCost,
  type Review,
  type ReviewedFinding,
  type StackCost,
  type StackReview,
} from "../review/review";
import { perHour, sumText, unknownItems } from "./cost-text";
import { diffBlock, priceWarningOf } from "./diff";
import { groupedFindings, type FindingGroup, type PageOf } from "./findings";
import { diagram, findingTable, signs } from "./markdown";
import { noBase } from "./review-text";
import { cell, fenced, fitted, limited, missingNote, plain, table, type Part } from "./markdown-syntax";

/** How to write a review. */
interface ReviewOptions {
  /** The most characters of the whole text. */
  readonly most: number;
  readonly pageOf: PageOf;
}

/** A review as Markdown for GitHub and GitLab: the verdict and the table of stacks first, pictures last. */
export function renderReviewMarkdown(review: Review, options: ReviewOptions): string {
  const { most } = options;
  const shown = review.stacks.filter((stack) => isChanged(stack) || isRejected(stack));
  const others = review.stacks.filter((stack) => !shown.includes(stack));
  const parts: Part[] = [
    { name: "verdict", text: heading(review) },
    ...errorParts(review, most),
    ...(shown.length === 0 ? [] : [{ name: "stacks", text: stackTable(review, shown, most) }]),
    ...priceWarningOf(shown).map((line) => ({ name: "price warning", text: plain(line) })),
    ...unchanged([...others.map(({ stack }) => stack), ...(review.unjudged ?? [])]),
    ...shown.flatMap((stack) => stackParts(stack, options)),
  ];
  const reserve = 600;
  const { kept, missing } = fitted(parts, most - reserve);
  return `${[...kept, ...missingNote(missing)].join("\n\n")}\n`;
}

function heading(review: Review): string {
  const rejected = review.stacks.filter(isRejected);
  const mark = review.error === undefined && rejected.length === 0 ? "✅" : "❌";
  return [`### ${mark} ${titleOf(review)}`, ...(rejected.length === 0 ? [] : [verdictOf(rejected)])].join("\n\n");
}

function titleOf({ stacks, unjudged = [], error, baseError }: Review): string {
  if (error !== undefined) return "Plan: it could not be made";
  const all = countOf(stacks.length + unjudged.length, "stack");
  if (baseError !== undefined) return `Plan of ${all}`;
  const changed = stacks.filter(isChanged).length;
  return changed === 0
    ? `Plan: no change in ${all}`
    : `Plan: ${changed} of ${all} ${changed === 1 ? "changes" : "change"}`;
}

function verdictOf(rejected: readonly StackReview[]): string {
  const failed = rejected.filter(({ error }) => error !== undefined).map(({ stack }) => plain(stack));
  const others = rejected.filter(({ error }) => error === undefined).map(({ stack }) => plain(stack));
  return [
    ...(failed.length === 0 ? [] : [`Cannot be planned: **${failed.join(", ")}**.`]),
    ...(others.length === 0 ? [] : [`Mandatory rules reject **${others.join(", ")}**.`]),
  ].join(" ");
}

/** Texts of errors are those of a program: they are shown as they are, in blocks. */
function errorParts({ error, baseError }: Review, most: number): Part[] {
  const parts = [
    ...(error === undefined ? [] : [errorText(error, most)]),
    ...(baseError === undefined ? [] : [baseText(baseError, most)]),
  ];
  return parts.map((text) => ({ name: "errors", text }));
}

function baseText(error: string, most: number): string {
  if (error === "") return noBase;
  return `The base cannot be planned, so nothing is compared.\n\n${errorText(error, most)}`;
}

function errorText(error: string, most: number): string {
  const { kept, left } = limited(error.trim().split("\n"), Math.floor(most / 8));
  return fenced("", left === 0 ? kept : [...kept, `... ${countOf(left, "more line")}`]);
}

function unchanged(names: readonly string[]): Part[] {
  if (names.length === 0) return [];
  return [{ name: "unchanged stacks", text: `Unchanged: ${names.map(plain).join(", ")}`, rank: 1 }];
}

/** The stacks that are shown, and the cost of all stacks of the review, which the document has, too. */
function stackTable({ stacks, baseError }: Review, shown: readonly StackReview[], most: number): string {
  const header = ["stack", "resources", "at rest, USD per hour", "in use, USD per hour", "policies"];
  const cost = (of: StackCost) => costText(of, baseError === undefined);
  const rows = shown.map((review) => [
    cell(review.stack),
    resourcesText(review),
    cost(review.atRest),
    cost(review.inUse),
    policiesText(review),
  ]);
  const sums = (["atRest", "inUse"] as const).map((key) => `**${cost(totalCost(stacks, key))}**`);
  const total = stacks.length < 2 ? [] : [[`**total of ${stacks.length} stacks**`, "", ...sums, ""]];
  const note = "<sub>At rest: GPU nodes at their desired size. In use: every GPU node group at its maximum.</sub>";
  return `${table(header, [...rows, ...total], { right: [2, 3], room: Math.floor(most / 4) })}\n\n${note}`;
}

function resourcesText({ change, difference, plan, error }: StackReview): string {
  if (error !== undefined) return "❌ cannot be planned";
  if (!difference) return countOf(plan?.recording.resources.length ?? 0, "resource");
  const { added, removed, changed } = difference;
  const replaced = changed.filter(({ properties }) => properties.some(({ replaces }) => replaces)).length;
  const counts = [
    ...(added.length === 0 ? [] : [`+${added.length}`]),
    ...(removed.length === 0 ? [] : [`−${removed.length}`]),
    ...(changed.length === 0 ? [] : [`${changed.length} changed${replaced === 0 ? "" : ` (${replaced} replaced)`}`]),
  ].join(", ");
  const sign = change === "added" ? "new stack: " : change === "removed" ? "removed stack: " : "";
  return counts === "" ? "unchanged" : `${sign}${counts}`;
}

/** Such as `0.2770 → 0.2934 (+0.0164)`. @param isCompared whether the review has a base */
function costText({ before, after }: StackCost, isCompared: boolean): string {
  const [from, to] = [amountText(before), amountText(after)];
  if (!isCompared || from === to) return to;
  if (!before || !after) return `${from} → ${to}`;
  const difference = after.usdPerHour - before.usdPerHour;
  const isExact = before.complete && after.complete;
  return `${from} → ${to}${isExact ? ` (${difference < 0 ? "−" : "+"}${perHour(Math.abs(difference))})` : ""}`;
}

function amountText(cost: HourlyCost | undefined): string {
  return cost ? sumText(cost.usdPerHour, cost.complete, perHour) : "unknown";
}

function policiesText({ change, error, findings, resolved }: StackReview): string {
  if (change === "removed" || error !== undefined) return "";
  const groups = reviewedGroups(findings);
  const counts = (["fail", "advisory", "unknown"] as const).flatMap((kind) => {
    const own = groups.filter((group) => group.kind === kind);
    const fresh = own.filter(({ isNew }) => isNew).length;
    return own.length === 0
      ? []
      : [`${signs[kind].split(" ")[0]} ${own.length} ${kind}${fresh === 0 ? "" : ` (${fresh} new)`}`];
  });
  const fixed = resolved === 0 ? [] : [`${resolved} resolved`];
  return [...(counts.length === 0 ? ["✅"] : counts), ...fixed].join("<br>");
}

type ReviewedGroup = FindingGroup & { readonly isNew: boolean };

/** The new findings first. */
function reviewedGroups(findings: readonly ReviewedFinding[]): ReviewedGroup[] {
  return [true, false].flatMap((isNew) => {
    const own = findings.filter((finding) => (finding.isNew ?? false) === isNew);
    return groupedFindings(own).map((group) => ({ ...group, isNew }));
  });
}

/** In a comment that is too long, findings are kept before changes, and changes before pictures. */
function stackParts(review: StackReview, options: ReviewOptions): Part[] {
  const { stack, error, baseError, difference, plan } = review;
  const { most, pageOf } = options;
  const findings = findingTable(reviewedGroups(review.findings), Math.floor(most / 3), pageOf);
  const changes = difference ? diffBlock(difference, Math.floor(most / 3)) : [];
  const unknown = plan && isChanged(review) ? unknownItems(plan.cost) : [];
  const texts = [
    ...(error === undefined ? [] : [errorText(error, most)]),
    ...(baseError === undefined ? [] : [`The base cannot be planned.\n\n${errorText(baseError, most)}`]),
    ...(unknown.length === 0 ? [] : [`Unknown price: ${plain(shortened(unknown.join("; "), 1_000))}`]),
  ];
  const isPictured = plan !== undefined && isChanged(review);
  if (texts.length + findings.length + changes.length === 0 && !isPictured) return [];
  return [
    { name: `heading of ${stack}`, text: `#### ${plain(stack)}`, rank: 2 },
    ...texts.map((text) => ({ name: `remarks on ${stack}`, text, rank: 2 })),
    ...findings.map((text) => ({ name: `findings of ${stack}`, text, rank: 3 })),
    ...(changes.length === 0 ? [] : [{ name: `changes of ${stack}`, text: changes.join("\n\n"), rank: 4 }]),
    ...(isPictured ? [{ name: `diagram of ${stack}`, text: diagram(plan), rank: 5 }] : []),
  ];
}
