import { expect, test } from "vitest";
import { unknownSentinel } from "../../../components/core/wire";
import { withValueAt } from "../../../simulation/provider/resources/outputs";

const properties = { a: { b: [{ c: 1 }] }, unknown: unknownSentinel, text: "x" };

test.for([
  ["new", { ...properties, new: 2 }],
  ["a.x.y", { ...properties, a: { ...properties.a, x: { y: 2 } } }],
  ["unknown.b", properties],
  ["text.b", properties],
] as const)("withValueAt %s", ([path, changed]) => {
  expect(withValueAt(properties, path, 2)).toEqual(changed);
});
