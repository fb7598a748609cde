import pc from "picocolors";
import { wrapped } from "../../components/core/text";
import { destroyCommand } from "./script";
import type { Rehearsal, RehearsedChange, RehearsedStep } from "./rehearse";

export interface ReportOptions {
  readonly colors: boolean;
  /** Width of the terminal in characters. */
  readonly columns: number;
}

/** How many changes are shown one by one; more are counted by type. */
const maxListedChanges = 12;

const verbs: Readonly<Record<string, string>> = {
  create: "made",
  update: "changed",
  delete: "deleted",
  replace: "replaced",
};

/** One step, when it is done. */
export function renderStep(step: RehearsedStep, number: number, { colors, columns }: ReportOptions): string {
  const paint = pc.createColors(colors);
  const mark = step.succeeded ? paint.green("ok") : paint.red("failed");
  const lines = [
    `${paint.bold(`${number}. ${step.title}`)}  ${mark}`,
    ...wrapped(`$ ${step.command}`, columns - 3).map((line) => `   ${paint.dim(line)}`),
    ...[summaryOf(step)].filter((text) => text !== "").map((text) => `   ${text}`),
    ...changeLines(step.changes).map((line) => `     ${line}`),
    ...step.remarks
      .flatMap((remark) => remark.split("\n").flatMap((line) => wrapped(line, columns - 5)))
      .map((line) => `     ${line}`),
    ...(number === 1 ? outputLines(step.outputs).map((line) => `     ${line}`) : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** What remains to be said at the end. */
export function renderEnd(
  { stack, steps, left, unsimulated, succeeded, interrupted }: Rehearsal,
  { colors, columns }: ReportOptions,
): string {
  const paint = pc.createColors(colors);
  const minutes = minutesOf(steps.reduce((sum, step) => sum + step.secondsOnAws, 0));
  const verdict = interrupted
    ? `${paint.yellow("interrupted")} at step ${steps.length}`
    : succeeded
      ? `${paint.green("rehearsed")}: ${stack} comes up, takes its switches on and off, and goes without a trace; ${minutes} of waiting on AWS`
      : `${paint.red("the rehearsal failed")} at step ${steps.length}`;
  const remains = left.length === 0 ? [] : [leftoversLine(left, steps)];
  return [...unsimulated.map((type) => `note: ${type} is not simulated: it answers nothing`), ...remains, verdict]
    .flatMap((line) => wrapped(line, columns))
    .join("\n")
    .concat("\n");
}

/** What is still there is a fault only after the destroy. */
function leftoversLine(left: readonly string[], steps: readonly RehearsedStep[]): string {
  if (steps.at(-1)?.command !== destroyCommand) {
    return `${left.length} objects were there when it stopped; they are gone with the simulated account`;
  }
  const more = left.length > maxListedChanges ? [`${left.length - maxListedChanges} more`] : [];
  return `left behind: ${[...left.slice(0, maxListedChanges), ...more].join(", ")}`;
}

function summaryOf({ changes, remarks, secondsOnAws }: RehearsedStep): string {
  const counts = new Map<string, number>();
  for (const { op } of changes) counts.set(verbOf(op), (counts.get(verbOf(op)) ?? 0) + 1);
  const what = [...counts].map(([verb, count]) => `${count} ${verb}`).join(", ");
  const usual = secondsOnAws > 0 ? `usually ${minutesOf(secondsOnAws)} on AWS` : "";
  const nothing = remarks.length === 0 ? "no changes" : "";
  return [what || nothing, usual].filter((text) => text !== "").join("; ");
}

function changeLines(changes: readonly RehearsedChange[]): string[] {
  if (changes.length <= maxListedChanges) {
    return changes.map(({ op, type, name, paths }) => {
      const what = op === "update" && paths.length > 0 ? `: ${paths.join(", ")}` : "";
      return `${signOf(op)} ${shortType(type)} ${name}${what}`;
    });
  }
  const counts = new Map<string, number>();
  for (const { op, type } of changes) {
    const key = `${signOf(op)} ${shortType(type)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([key, count]) => (count > 1 ? `${key} × ${count}` : key));
}

/** The commands and costs among the outputs: what the user does next, and pays. */
function outputLines(outputs: RehearsedStep["outputs"]): string[] {
  const wanted = Object.entries(outputs).filter(
    ([key, value]) => typeof value === "string" && value !== "[secret]" && /^cost/.test(key),
  );
  return wanted.map(([key, value]) => `${key}: ${String(value)}`);
}

function verbOf(op: string): string {
  return verbs[op.split("-")[0] ?? op] ?? op;
}

function signOf(op: string): string {
  if (op.startsWith("create")) return "+";
  return op.startsWith("delete") ? "-" : "~";
}

/** `aws:ec2/subnet:Subnet` is an ec2 Subnet, `kubernetes:helm.sh/v3:Release` a helm.sh Release. */
function shortType(type: string): string {
  const [, module = "", name = type] = type.split(":");
  return `${module.split("/")[0] ?? ""} ${name}`;
}

function minutesOf(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes === 0) return "less than a minute";
  return minutes === 1 ? "a minute" : `${minutes} minutes`;
}
