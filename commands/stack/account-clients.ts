import type { AccountPlace } from "../../aws/aws-error";
import { regionOf } from "../../planner/stack-region";
import type { StackConfig } from "../../planner/program/stack-config";

/** The region of a stack, and the profile of its configuration; without one, the user's ordinary credentials apply. */
export function placeOf(stack: string, config: StackConfig): AccountPlace {
  const profile = config.values["aws:profile"] || undefined;
  return { region: regionOf(stack, config), page: "docs/preflight.md", ...(profile !== undefined && { profile }) };
}
