import * as v from "valibot";
import type { Problem } from "../../core/problems";
import { s } from "../../core/schema";

/** A field of a schedule: its unit, its range, and the names of its first numbers. */
interface Field {
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const fields: readonly Field[] = [
  { unit: "minute", min: 0, max: 59 },
  { unit: "hour", min: 0, max: 23 },
  { unit: "day of the month", min: 1, max: 31 },
  {
    ...{ unit: "month", min: 1, max: 12 },
    names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  { unit: "day of the week", min: 0, max: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

const shorthands = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/**
 * When a CronJob of Kubernetes runs.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
 * @see https://github.com/robfig/cron/blob/v3.0.1/parser.go the parser of the controller: Sunday is 0 and not 7
 */
export function cronSchedule() {
  const fix = 'set {path} to a schedule such as "* * * * *", every minute';
  return v.pipe(
    s.text(fix),
    s.check((got: string, path) => scheduleProblems(got, path, fix.replace("{path}", path))),
  );
}

function scheduleProblems(got: string, path: string, fix: string): Problem[] {
  const problem = (why: string): Problem => ({ code: "not-allowed", path, got, why, fix });
  if (shorthands.includes(got)) return [];
  const parts = got.trim().split(/\s+/);
  if (parts.length !== fields.length) {
    const units = fields.map(({ unit }) => unit).join(", ");
    return [problem(`Must have the five fields ${units}, or be one of ${shorthands.join(", ")}.`)];
  }
  return fields.flatMap((field, index) => {
    const part = parts[index] ?? "";
    const { unit, min, max } = field;
    if (part.split(",").every((range) => isRange(range, field))) return [];
    return [
      problem(`The ${unit} is "${part}". Must be ${min} to ${max}, a range such as ${min}-${max}, or * for each.`),
    ];
  });
}

/** Whether a part is `*`, a number or a range, each with an optional step after a slash. */
function isRange(text: string, field: Field): boolean {
  const [, from = "", to, step] = /^(\*|\?|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(text) ?? [];
  if (step !== undefined && Number(step) === 0) return false;
  if (from === "*" || from === "?") return to === undefined;
  const [first, last] = [numberOf(from, field), numberOf(to ?? from, field)];
  return first >= field.min && last <= field.max && first <= last;
}

/** NaN for anything else, so that every comparison with it is false. */
function numberOf(text: string, { names = [], min }: Field): number {
  const at = names.indexOf(text.toLowerCase());
  if (at >= 0) return at + min;
  return /^\d+$/.test(text) ? Number(text) : NaN;
}
