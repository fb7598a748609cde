import { expect, test } from "vitest";
import { seconds } from "../../../planner/facts/preview-state";

test.for([
  ["15m", 900],
  ["1h0m30s", 3630],
  ["1.5h", 5400],
  ["250ms", 0.25],
  ["nonsense", 0],
] as const)("duration %s", ([text, expected]) => expect(seconds(text)).toBe(expected));
