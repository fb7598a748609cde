import type { Problem } from "../core/problems";
import type { ActionDecision, PreflightFacts } from "./preflight-facts";

/** Most actions that a message names. */
const mostActions = 8;

const whys = {
  denied: "A policy of this identity denies these actions.",
  boundary: "A permissions boundary or a policy of the organization does not allow these actions.",
} as const;

/** Actions that an explicit denial, a boundary or the organization takes away. */
export function permissionProblems(_: unknown, facts: PreflightFacts): Problem[] {
  return (["denied", "boundary"] as const).flatMap((decision): Problem[] => {
    const actions = actionsWith(facts.permissions, decision);
    if (actions.length === 0) return [];
    const fix = "ask your administrator for them, or use another identity";
    const path = "the caller's permissions";
    return [{ code: "not-allowed", path, got: listed(actions), why: whys[decision], fix }];
  });
}

/** Actions that no policy grants on every resource: one may grant them on some resources, which cannot be seen here. */
export function permissionWarnings(_: unknown, facts: PreflightFacts): string[] {
  const actions = actionsWith(facts.permissions, "not-granted");
  if (actions.length === 0) return [];
  return [
    `No policy grants these actions on every resource: ${listed(actions)}. Policies that name resources were not ` +
      "examined; ask your administrator if they cover this environment.",
  ];
}

/** As {@link permissionWarnings}, where IAM was asked about the resource itself. */
export function resourcePermissionWarnings(_: unknown, facts: PreflightFacts): string[] {
  const actions = actionsWith(facts.permissions, "not-granted");
  if (actions.length === 0) return [];
  return [`IAM finds no policy that allows this on the node group: ${listed(actions)}. A condition may allow it.`];
}

function actionsWith(permissions: readonly ActionDecision[] = [], decision: ActionDecision["decision"]): string[] {
  return permissions.filter((one) => one.decision === decision).map(({ action }) => action);
}

function listed(actions: readonly string[]): string {
  const more = actions.length - mostActions;
  return actions.slice(0, mostActions).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
