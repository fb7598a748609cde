import { expect, test } from "vitest";
import { scheduleTimes } from "../../../components/core/schedule-expression";

/** The next times of an expression after a date, in UTC. */
function next(expression: string, timezone: string | undefined, after: string, count = 1): (string | undefined)[] {
  const found: (string | undefined)[] = [];
  let from = new Date(after);
  for (let at = 0; at < count; at++) {
    const time = scheduleTimes(expression, timezone)?.next(from);
    found.push(time?.toISOString().slice(0, 16));
    from = time ?? from;
  }
  return found;
}

test("a time each day is one in its time zone, also when daylight saving time begins", () => {
  expect(next("cron(0 22 * * ? *)", "Asia/Seoul", "2026-12-01T13:00:00Z")).toEqual(["2026-12-02T13:00"]);
  expect(next("cron(30 7 * * ? *)", undefined, "2026-12-01T07:29:00Z")).toEqual(["2026-12-01T07:30"]);
  expect(next("cron(0 22 * * ? *)", "Europe/Berlin", "2026-03-27T22:00:00Z", 2)).toEqual([
    ...["2026-03-28T21:00", "2026-03-29T20:00"],
  ]);
});

test("weekdays count from 1 for Sunday", () => {
  expect(next("cron(0 22 ? * 2-6 *)", "UTC", "2026-12-04T22:00:00Z")).toEqual(["2026-12-07T22:00"]);
});

test("one time is over after it", () => {
  const at = "at(2026-12-01T18:00:00)";
  expect(scheduleTimes(at)?.isOnce).toBe(true);
  expect(next(at, "Asia/Seoul", "2026-11-01T00:00:00Z", 2)).toEqual(["2026-12-01T09:00", undefined]);
});

test.for(["rate(1 day)", "cron(0 99 * * ? *)", "at(tomorrow)", ""])("%s has no times that can be computed", (given) => {
  expect(scheduleTimes(given)).toBeUndefined();
});

// EventBridge Scheduler skips a time that does not exist, and runs once at one that exists twice.
test.for([
  ["the night in which 02:30 does not exist", "cron(30 2 * * ? *)", "2026-03-07T07:30:00Z", "2026-03-09T06:30"],
  ["the night in which 01:30 exists twice", "cron(30 1 * * ? *)", "2026-11-01T04:00:00Z", "2026-11-01T05:30"],
  ["the night after it", "cron(30 1 * * ? *)", "2026-11-01T05:30:00Z", "2026-11-02T06:30"],
  ["between both 01:30", "cron(30 1 * * ? *)", "2026-11-01T06:00:00Z", "2026-11-02T06:30"],
] as const)("%s in New York", ([, expression, after, expected]) => {
  expect(next(expression, "America/New_York", after)).toEqual([expected]);
});
