import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { testProblems } from "../../support/problems";
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

describe("an end that is", () => {
  testProblems(
    (given) => expiryProblems("expires", given, now),
    [
      [undefined, "missing expires"],
      ["", "missing expires"],
      [20261201, "wrong-type expires"],
      ["soon", "wrong-type expires"],
      ["2026-11-20", "not-allowed expires"],
      ["2026-12-06", "not-allowed expires"],
      [pulumi.output("2026-12-01"), "wrong-type expires"],
    ],
  );
});

test("an end within the limit is no problem", () => {
  expect(expiryProblems("expires", "2026-12-05", now)).toEqual([]);
  expect(expiryProblems("expires", "2026-11-23", now, 1)).toMatchObject([
    { code: "not-allowed", why: "Must be at most 1 day ahead." },
  ]);
});

test("days are those of UTC", () => {
  expect([dayOf(now.getTime()), inDays(7, now)]).toEqual(["2026-11-21", "2026-11-28"]);
});
