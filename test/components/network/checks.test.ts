import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { distinct, each, isLater, list, resourceId, trueOrFalse } from "../../../components/network/checks";

test.for([
  ["an Output", pulumi.output("x"), true],
  ["a Promise", Promise.resolve("x"), true],
  ["a text", "x", false],
  ["nothing", undefined, false],
  ["null", null, false],
  ["an object", { apply: 1 }, false],
] as const)("%s is known only later: %j", ([, value, later]) => {
  expect(isLater(value)).toBe(later);
});

test.for([
  ["vpc", "vpc-0123456789abcdef0", undefined],
  ["subnet", "subnet-1a2b3c4d", undefined],
  ["sg", pulumi.output("anything"), undefined],
  ["sg", "vpc-0123456789abcdef0", "not-allowed"],
  ["sg", "sg-0123456789ABCDEF0", "not-allowed"],
  ["sg", "sg-0123456789abcdef", "not-allowed"],
  ["sg", "", "not-allowed"],
  ["sg", undefined, "wrong-type"],
  ["sg", 1, "wrong-type"],
] as const)("the id of a %s: %j", ([prefix, got, code]) => {
  expect(resourceId("id", got, prefix)[0]?.code).toBe(code);
});

test("a list, and a switch", () => {
  expect(list("zones", [], "[]")).toEqual([]);
  expect(list("zones", "a", '["a"]')).toEqual([
    {
      code: "wrong-type",
      path: "zones",
      got: "a",
      why: "It must be a list.",
      fix: 'set zones to a list such as ["a"]',
    },
  ]);
  expect([true, false].flatMap((got) => trueOrFalse("efa", got))).toEqual([]);
  expect(trueOrFalse("efa", "true")).toEqual([
    { code: "wrong-type", path: "efa", got: "true", why: "It must be true or false.", fix: "set efa to true or false" },
  ]);
});

test("each item is checked at its own path", () => {
  expect(each("switches", [true, 1, null], trueOrFalse).map(({ path, got }) => [path, got])).toEqual([
    ["switches[1]", 1],
    ["switches[2]", null],
  ]);
});

test("every repetition is found, with where the item stood first", () => {
  const later = pulumi.output("x");
  expect(distinct("ids", ["a", "b", later, later, "a", "a"], "Once is enough.")).toEqual([
    {
      code: "conflict",
      path: "ids[4]",
      got: "a",
      why: "It is ids[0] again. Once is enough.",
      fix: "replace or remove ids[4]",
    },
    {
      code: "conflict",
      path: "ids[5]",
      got: "a",
      why: "It is ids[0] again. Once is enough.",
      fix: "replace or remove ids[5]",
    },
  ]);
});
