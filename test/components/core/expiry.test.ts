import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { dayOf, endOf, expiryProblems, inDays, isAhead } from "../../../components/core/faults";

const now = new Date("2026-11-21T18:00:00Z");

test.for([
  ["2026-12-01", "2026-12-02T00:00:00.000Z"],
  [" 2026-12-01 ", "2026-12-02T00:00:00.000Z"],
  ["2026-12-01T18:00Z", "2026-12-01T18:00:00.000Z"],
  ["2026-12-01T18:00:00+09:00", "2026-12-01T09:00:00.000Z"],
  ["2026-02-30", undefined],
  ["2026-13-01", undefined],
  ["2026-12-1", undefined],
  ["2026-12-01T18:00", undefined],
  ["tomorrow", undefined],
  ["", undefined],
] as const)("%j ends at %s", ([text, expected]) => {
  const end = endOf(text);
  expect(end && new Date(end.ends).toISOString()).toBe(expected);
});

test.for([
  ["2026-11-20", false],
  ["2026-11-21", true],
  ["2026-11-21T18:00:00Z", false],
  ["2026-11-21T18:00:01Z", true],
  ["2026-12-05", true],
  ["2026-12-06", false],
  ["2026-12-05T18:00:00Z", true],
  ["2026-12-05T18:00:01Z", false],
] as const)("%s lies ahead and near: %s", ([text, expected]) => {
  expect(isAhead(endOf(text) ?? expect.fail(), now, 14)).toBe(expected);
});

test.for([
  [undefined, "missing", "A fault whose end nobody stated stays for good."],
  ["", "missing", "A fault whose end nobody stated stays for good."],
  [20261201, "wrong-type", "It must be a day such as 2026-12-01, or a time such as 2026-12-01T18:00:00Z."],
  ["soon", "wrong-type", "It must be a day such as 2026-12-01, or a time such as 2026-12-01T18:00:00Z."],
  ["2026-11-20", "not-allowed", "That is past."],
  ["2026-12-06", "not-allowed", "That is more than 14 days from today."],
] as const)("an end of %j is refused", ([got, code, why]) => {
  const fix = "set expires to a day within 14 days, such as 2026-11-22";
  expect(expiryProblems("expires", got, now)).toEqual([
    { code, path: "expires", got: got === "" ? undefined : got, why, fix },
  ]);
});

test("an end that is known only after the update is refused, a near one taken", () => {
  expect(expiryProblems("expires", pulumi.output("2026-12-01"), now)).toHaveLength(1);
  expect(expiryProblems("expires", "2026-12-05", now)).toEqual([]);
  expect(expiryProblems("expires", "2026-11-23", now, 1)).toMatchObject([
    { why: "That is more than 1 days from today." },
  ]);
});

test("days are those of UTC", () => {
  expect([dayOf(now.getTime()), inDays(7, now)]).toEqual(["2026-11-21", "2026-11-28"]);
});
