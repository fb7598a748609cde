import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";

/** A field of a schedule: what it counts, from where to where, and the names that stand for its first numbers. */
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
 * When something runs again and again, as a CronJob of Kubernetes reads it.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
 * @see https://github.com/robfig/cron/blob/v3.0.1/parser.go which the controller reads it with: Sunday is 0 and not 7
 */
export function cronScheduleProblems(path: string, got: unknown): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  const fix = `set ${path} to a schedule such as "* * * * *", every minute`;
  if (typeof got !== "string") return [{ code: "wrong-type", path, got, why: "It must be a text.", fix }];
  const refuse = (why: string): Problem[] => [{ code: "not-allowed", path, got, why, fix }];
  if (shorthands.includes(got)) return [];
  const texts = got.trim().split(/\s+/);
  if (texts.length !== fields.length) {
    const units = fields.map(({ unit }) => unit).join(", ");
    return refuse(`It must have the five fields ${units}, or be one of ${shorthands.join(", ")}.`);
  }
  return fields.flatMap((field, at) => {
    const text = texts[at] ?? "";
    const { unit, min, max } = field;
    if (text.split(",").every((part) => isRange(part, field))) return [];
    return refuse(`"${text}" is no ${unit}: ${min} to ${max}, a range such as ${min}-${max}, or * for each.`);
  });
}

/** Whether a text is `*`, a number or a range, each with an optional step behind a slash. */
function isRange(text: string, field: Field): boolean {
  const [, from = "", to, step] = /^(\*|\?|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(text) ?? [];
  if (step !== undefined && Number(step) === 0) return false;
  if (from === "*" || from === "?") return to === undefined;
  const [first, last] = [numberOf(from, field), numberOf(to ?? from, field)];
  return first >= field.min && last <= field.max && first <= last;
}

/** Not a number where it is none, so that no comparison with it holds. */
function numberOf(text: string, { names = [], min }: Field): number {
  const at = names.indexOf(text.toLowerCase());
  if (at >= 0) return at + min;
  return /^\d+$/.test(text) ? Number(text) : NaN;
}
