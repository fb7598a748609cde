import type { Effect } from "../../../tools/config-docs";
import { changesOf, type Outcome, type Step } from "../../../simulation/pulumi/outcome";
import { shortType } from "./engine";

export interface Line {
  readonly text: string;
  readonly type: string;
  readonly kind: string;
}

/** A line for each input that changes, and one for each resource that is created or deleted. */
function linesOf({ type, name, op, diff }: Step): Line[] {
  const what = `${shortType(type)} ${name}`;
  if (op === "create" || op === "delete") return [{ text: what, type: shortType(type), kind: op }];
  return Object.entries(diff).map(([path, kind]) => ({ text: `${what} ${path}`, type: shortType(type), kind }));
}

/** What a run changes in the cloud. */
export function observed(outcome: Outcome): Line[] {
  const steps = changesOf(outcome).filter(
    ({ op, custom }) => custom && !op.endsWith("-replaced") && !op.startsWith("create-"),
  );
  return steps.flatMap(linesOf);
}

/** The effect that the engine shows. */
export function effectOf(lines: readonly Line[]): Effect {
  if (lines.length === 0) return "no change";
  // A node group that is deleted ends its nodes, too.
  const ends = ({ kind, text }: Line) => kind.includes("replace") || (kind === "delete" && /^NodeGroup /.test(text));
  if (lines.some(ends)) return "replaced";
  const rolls = /^(LaunchTemplate \S+ |NodeGroup \S+ (version|releaseVersion))/;
  return lines.some(({ text }) => rolls.test(text)) ? "rolling" : "in place";
}
