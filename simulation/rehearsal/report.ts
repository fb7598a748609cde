import pc from "picocolors";
import { nodePoolType } from "../../planner/facts/gpu-pools";
import { countOf, wrapped } from "../../components/core/text";
import type { TextOptions } from "../../components/core/text-page";
import type { Rehearsal } from "./rehearse";
import { destroyCommand, type RehearsedChange, type RehearsedStep } from "./step";

/** A longer list of changes is summarized by type. */
const maxListedChanges = 12;

const verbs: Readonly<Record<string, string>> = {
  create: "created",
  update: "updated",
  delete: "deleted",
  replace: "replaced",
};

/** A finished step. */
export function renderStep(step: RehearsedStep, number: number, { colors, columns }: TextOptions): string {
  const paint = pc.createColors(colors);
  const mark = step.succeeded ? paint.green("ok") : paint.red("failed");
  const remarks = step.remarks.flatMap((remark) => remark.split("\n"));
  const details = [
    ...changeLines(step.changes),
    ...remarks.flatMap((line) => wrapped(line, columns - 5)),
    ...(number === 1 ? costLines(step.outputs) : []),
  ];
  const lines = [
    `${paint.bold(`${number}. ${step.title}`)}  ${mark}`,
    ...wrapped(`$ ${step.command}`, columns - 3).map((line) => `   ${paint.dim(line)}`),
    ...[summaryOf(step)].filter((text) => text !== "").map((text) => `   ${text}`),
    ...details.map((line) => `     ${line}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** The end of the report. */
export function renderEnd(rehearsal: Rehearsal, { colors, columns }: TextOptions): string {
  const notes = rehearsal.unsimulated.map((type) => `note: ${type} is not simulated; it is accepted without checks`);
  const noSessions = "note: sessions are left out, because a NodePool starts its nodes inside the cluster";
  const isPool = rehearsal.unsimulated.includes(nodePoolType);
  return [...notes, ...(isPool ? [noSessions] : []), ...leftoverLines(rehearsal), verdictOf(rehearsal, colors)]
    .flatMap((line) => wrapped(line, columns))
    .join("\n")
    .concat("\n");
}

function verdictOf({ stack, steps, succeeded, interrupted }: Rehearsal, colors: boolean): string {
  const paint = pc.createColors(colors);
  if (interrupted) return `${paint.yellow("interrupted")} at step ${steps.length}`;
  if (!succeeded) return `${paint.red("the rehearsal failed")} at step ${steps.length}`;
  const duration = approximate(steps.reduce((sum, step) => sum + step.secondsOnAws, 0));
  return (
    `${paint.green("rehearsed")}: ${stack} deploys, every toggle turns on and off, and destroy leaves nothing behind; ` +
    `on AWS, this takes ${duration}`
  );
}

/** Remaining objects are an error only after the destroy. */
function leftoverLines({ left, steps }: Rehearsal): string[] {
  if (left.length === 0) return [];
  if (steps.at(-1)?.command !== destroyCommand) {
    return [`${left.length} objects existed when the rehearsal stopped; they are deleted with the simulated account`];
  }
  const more = left.length > maxListedChanges ? [`${left.length - maxListedChanges} more`] : [];
  return [`not deleted: ${[...left.slice(0, maxListedChanges), ...more].join(", ")}`];
}

function summaryOf({ changes, remarks, secondsOnAws }: RehearsedStep): string {
  const counts = new Map<string, number>();
  for (const { op } of changes) counts.set(verbOf(op), (counts.get(verbOf(op)) ?? 0) + 1);
  const counted = [...counts].map(([verb, count]) => `${count} ${verb}`).join(", ");
  const duration = secondsOnAws > 0 ? `${approximate(secondsOnAws)} on AWS` : "";
  const unchanged = remarks.length === 0 ? "no changes" : "";
  return [counted || unchanged, duration].filter((text) => text !== "").join("; ");
}

function changeLines(changes: readonly RehearsedChange[]): string[] {
  if (changes.length <= maxListedChanges) {
    return changes.map(({ op, type, name, paths }) => {
      const changed = op === "update" && paths.length > 0 ? `: ${paths.join(", ")}` : "";
      return `${signOf(op)} ${shortType(type)} ${name}${changed}`;
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

/** The outputs that say what the lab costs. */
function costLines(outputs: RehearsedStep["outputs"]): string[] {
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

/** `ec2 Subnet` for `aws:ec2/subnet:Subnet`, `helm.sh Release` for `kubernetes:helm.sh/v3:Release`. */
function shortType(type: string): string {
  const [, module = "", name = type] = type.split(":");
  return `${module.split("/")[0] ?? ""} ${name}`;
}

function approximate(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return minutes === 0 ? "less than a minute" : `about ${countOf(minutes, "minute")}`;
}
