import { withoutUndefined } from "../../components/core/reader/records";
import type { HourlyCost } from "../diff/comparable-plan";
import { isChanged, isRejected, totalCost, type Review, type StackCost, type StackReview } from "../review/review";

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
