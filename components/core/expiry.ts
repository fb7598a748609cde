import { isLater, tooLate } from "./later";
import type { Problem } from "./problems";

/** When something ends, such as a fault that a lab injects: a day or a point in time. */
export interface End {
  readonly text: string;
  /** Milliseconds since 1970 at which the day, or the point in time, begins. */
  readonly begins: number;
  /** From here on it has ended: a day ends at midnight UTC. */
  readonly ends: number;
}

/** For how long a fault may be meant. */
export const longestFaultDays = 14;

const day = 24 * 60 * 60 * 1000;

/** A day such as `2026-12-01`, or a time such as `2026-12-01T18:00:00Z`; undefined for anything else. */
export function endOf(given: string): End | undefined {
  const text = given.trim();
  const form = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.exec(text);
  const begins = form ? Date.parse(text) : Number.NaN;
  // JavaScript takes 2026-02-30 for a day of March.
  if (!form?.[1] || !Number.isFinite(begins) || dayOf(Date.parse(form[1])) !== form[1]) return undefined;
  return { text, begins, ends: form[2] === undefined ? begins + day : begins };
}

/** Whether it is not past, and no more than so many days ahead. */
export function isAhead({ begins, ends }: End, now: Date, maxDays: number): boolean {
  return now.getTime() < ends && begins <= now.getTime() + maxDays * day;
}

/** The day (UTC) of a time in milliseconds since 1970, e.g. `2026-12-01`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The day that begins so many days from now. */
export function inDays(days: number, now: Date): string {
  return dayOf(now.getTime() + days * day);
}

/** What is wrong with the end of a fault: it must be stated, lie ahead, and be near. */
export function expiryProblems(path: string, got: unknown, now: Date, maxDays = longestFaultDays): Problem[] {
  if (isLater(got)) return tooLate(path);
  const fix = `set ${path} to a day within ${maxDays} days, such as ${inDays(1, now)}`;
  if (got === undefined || got === "") {
    return [{ code: "missing", path, got: undefined, why: "A fault whose end nobody stated stays for good.", fix }];
  }
  const end = typeof got === "string" ? endOf(got) : undefined;
  if (!end)
    return [
      {
        code: "wrong-type",
        path,
        got,
        why: "It must be a day such as 2026-12-01, or a time such as 2026-12-01T18:00:00Z.",
        fix,
      },
    ];
  if (isAhead(end, now, maxDays)) return [];
  const why = end.ends <= now.getTime() ? "That is past." : `That is more than ${maxDays} days from today.`;
  return [{ code: "not-allowed", path, got, why, fix }];
}
