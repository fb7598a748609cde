import { inDays } from "../../../components/core/faults";
import type { ChangeRow, Effect, Proof } from "../../../tools/changes/change-row";
import { changeTable } from "../../../tools/changes/change-table";
import { changesOf, type Outcome, type Step } from "../../../simulation/pulumi/outcome";
import { shortType } from "./engine";

type Row = readonly [string, ChangeRow & { readonly proof: Proof }];

/** The rows whose change a preview of this kind shows. */
export function rowsOf(preview: Proof["preview"]): Row[] {
  return Object.entries(changeTable).filter((entry): entry is [string, ChangeRow & { proof: Proof }] => {
    const [, { proof }] = entry;
    return "preview" in proof && proof.preview === preview;
  });
}

/** `DAY` stands for a day of the next week, `NEXT_DAY` for the day after it. */
export function dated(config: readonly string[]): string[] {
  const now = new Date();
  return config.map((text) => text.replace("NEXT_DAY", inDays(8, now)).replace("DAY", inDays(7, now)));
}

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
  if (lines.some(({ kind }) => kind.includes("replace"))) return "replaced";
  const rolls = /^(LaunchTemplate \S+ |NodeGroup \S+ (version|releaseVersion))/;
  return lines.some(({ text }) => rolls.test(text)) ? "rolling" : "in place";
}
