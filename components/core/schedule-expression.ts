import { Cron } from "croner";

/**
 * The times of an expression of EventBridge Scheduler: `at(…)`, or `cron(…)`. Undefined for another expression: the times of
 * `rate(…)` depend on the time at which the schedule was created.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
 */
export function scheduleTimes(expression: string, timezone = "UTC"): ScheduleTimes | undefined {
  const [, form, content = ""] = /^(at|cron)\((.*)\)$/.exec(expression) ?? [];
  // EventBridge Scheduler has no seconds, counts weekdays from 1 for Sunday, and requires both day fields to match.
  const pattern = form === "at" ? content : `0 ${content}`;
  try {
    if (form === undefined) return undefined;
    const cron = new Cron(pattern, { timezone, domAndDow: true, alternativeWeekdays: true });
    if (form === "at") return { isOnce: true, next: (after) => cron.nextRun(after) ?? undefined };
    return { isOnce: false, next: (after) => nextOf(cron, after) };
  } catch {
    return undefined;
  }
}

/**
 * EventBridge Scheduler skips a time that does not exist when daylight saving time begins, and runs once when it ends. The cron
 * library moves such a time, or finds one before the date.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#daylist-savings-time
 */
function nextOf(cron: Cron, after: Date): Date | undefined {
  for (let from = after; ;) {
    const time = cron.nextRun(from);
    if (!time || (time > after && cron.match(time))) return time ?? undefined;
    from = new Date(Math.max(from.getTime(), time.getTime()) + 3_600_000);
  }
}

interface ScheduleTimes {
  /** Whether there is one time only. */
  readonly isOnce: boolean;
  /** The first time after a date. */
  next(after: Date): Date | undefined;
}
