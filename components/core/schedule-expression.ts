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
    return { isOnce: form === "at", next: (after) => cron.nextRun(after) ?? undefined };
  } catch {
    return undefined;
  }
}

export interface ScheduleTimes {
  /** Whether there is one time only. */
  readonly isOnce: boolean;
  /** The first time after a date. */
  next(after: Date): Date | undefined;
}
