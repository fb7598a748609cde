import { expect, test } from "vitest";
import { variant, withParameters } from "../../../policies/engine/pack";
import { room, shelves } from "../support/sample-rules";

test("a pack may have its own defaults of a rule, and the engine gets the same", () => {
  const changed = withParameters(shelves, { most: 7 });
  expect(changed.parameters["most"]?.default).toBe(7);
  expect(changed.parameters["most"]?.schema.default).toBe(7);
  expect(changed.parameters["most"]?.schema.type).toBe("integer");
  expect(changed.parameters["exempt"]).toBe(shelves.parameters["exempt"]);
  expect([changed.id, changed.judge]).toEqual([shelves.id, shelves.judge]);
  expect(shelves.parameters["most"]?.default).not.toBe(7);
});

test.for([
  ["a value that it does not accept", { most: "7" }, 'shelves does not accept "7" for most'],
  ["a parameter that it does not have", { least: 1 }, "shelves does not accept 1 for least"],
] as const)("%s is a mistake of the pack", ([, defaults, message]) => {
  expect(() => withParameters(shelves, defaults)).toThrow(message);
});

test("what a pack does not change stays as it is", () => {
  const rules = [
    { rule: room, level: "mandatory" },
    { rule: shelves, level: "advisory" },
  ] as const;
  const made = variant(rules, ({ rule }) => (rule.id === "room" ? { level: "disabled" } : {}));
  expect(made).toEqual([
    { rule: room, level: "disabled" },
    { rule: shelves, level: "advisory" },
  ]);
});
