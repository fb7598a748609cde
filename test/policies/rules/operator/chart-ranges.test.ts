import { expect, test } from "vitest";
import { chartRow, minorOf, rowFor } from "../../../../policies/rules/operator/chart-ranges";

const row = (from: readonly [number, number, number], first = 32, last = 35) => ({ from, first, last });

test.for([
  ["26.3.0: 1.32 - 1.35", row([26, 3, 0])],
  ["v26.3.0: 1.32 - 1.35", row([26, 3, 0])],
  ["26.3.0:1.32-1.35", row([26, 3, 0])],
  [" 26.3.0 : 1.32 - 1.35 ", row([26, 3, 0])],
  ["26.12.10: 1.9 - 1.105", row([26, 12, 10], 9, 105)],
  ["26.3.0-rc.1: 1.32 - 1.35", row([26, 3, 0])],
  ["from 26.3.0: 1.32 - 1.35", undefined],
  ["x26.3.0: 1.32 - 1.35", undefined],
  ["26.3.0x: 1.32 - 1.35", undefined],
  ["26.3: 1.32 - 1.35", undefined],
  ["26.3.0: 1.32 - 1.35, and more", undefined],
  ["26.3.0: 1.32 - 1.35.1", undefined],
  ["26.3.0: 2.32 - 1.35", undefined],
  ["not a row", undefined],
  ["", undefined],
] as const)("%j is a row: %j", ([text, expected]) => {
  expect(chartRow(text)).toEqual(expected);
});

const rows = [row([26, 3, 2], 32, 36), row([26, 3, 0]), row([25, 3, 9]), row([26, 7, 0])];
test.for([
  ["v26.3.0", rows[1]],
  ["26.3.1", rows[1]],
  ["v26.3.2", rows[0]],
  ["v26.3.10", rows[0]],
  ["v26.3.2-rc.1", rows[0]],
  ["v25.3.8", "none"],
  ["v25.3.10", rows[2]],
  ["v24.3.9", "none"],
  ["v26.9.0", "none"],
  ["26.3", undefined],
  ["x26.3.1", undefined],
  ["26.3.1x", undefined],
  [">=26.3.1", undefined],
] as const)("the row of %s", ([version, expected]) => {
  expect(rowFor(version, rows)).toEqual(expected);
  expect(rowFor(version, rows.toReversed())).toEqual(expected);
});

test.for([
  ["1.35", 35],
  ["v1.35.2", 35],
  ["1.35-eks", undefined],
  ["x1.35", undefined],
  ["11.35", undefined],
  ["2.35", undefined],
  ["1", undefined],
] as const)("the minor of %s: %s", ([version, expected]) => {
  expect(minorOf(version)).toBe(expected);
});
