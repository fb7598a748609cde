import type { Problem } from "../../components/core/problems";
import { withPinNames } from "./pins";

/** The wording of problems, one line each, for the one snapshot of a section. */
export function wording(problems: readonly Problem[]): string {
  return withPinNames(problems.map(({ path, why, fix }) => `${path}: ${why} | ${fix}`).join("\n"));
}
