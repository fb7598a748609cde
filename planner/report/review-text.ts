import { countOf, indented, pageOf, wrapped } from "../../components/core/text";
import { textPage, type TextOptions } from "../../components/core/text-page";
import { isChanged, isRejected, type Review, type StackReview } from "../review/review";
import type { PlanDifference } from "../diff/diff";
import { priceWarningOf, renderDiffText } from "./diff";
import { groupedFindings } from "./findings";
import { findingLines } from "./text";

/** A review for people: the stacks that differ or are rejected, then the names of the others. */
export function renderReviewText({ stacks, unjudged = [], error, baseError }: Review, options: TextOptions): string {
  const shown = stacks.filter((stack) => isChanged(stack) || isRejected(stack));
  const others = [...stacks.filter((stack) => !shown.includes(stack)).map(({ stack }) => stack), ...unjudged];
  return pageOf([
    ...(error === undefined ? [] : [["The plan could not be made:", ...indented(error.split("\n"))]]),
    ...(baseError === undefined ? [] : [baseLines(baseError)]),
    ...shown.map((stack) => stackLines(stack, options)),
    ...priceWarningOf(shown).map((line) => wrapped(line, textPage(options).width)),
    ...(others.length === 0 ? [] : [[`Unchanged: ${others.join(", ")}`]]),
    [`${stacks.filter(isChanged).length} of ${countOf(stacks.length + unjudged.length, "stack")} changed`],
  ]);
}

/** What a review says if there is no base. */
export const noBase = "There is no base to compare with.";

function baseLines(error: string): string[] {
  return error === "" ? [noBase] : ["The base cannot be planned:", ...indented(error.split("\n"))];
}

function stackLines({ stack, change, error, difference, findings }: StackReview, options: TextOptions): string[] {
  const { colors, width } = textPage(options);
  return [
    colors.bold(`Stack ${stack}: ${error === undefined ? change : "cannot be planned"}`),
    ...indented((error ?? "").split("\n").filter(Boolean)),
    ...(difference ? indented(renderDiffText(withoutWarning(difference), options).trimEnd().split("\n")) : []),
    ...groupedFindings(findings).flatMap((group) => findingLines(group, colors, width)),
  ];
}

/** The review has one warning for all stacks. */
function withoutWarning({ priceWarning: _, ...difference }: PlanDifference): PlanDifference {
  return difference;
}
