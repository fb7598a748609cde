import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { trueOrFalse } from "../../../components/core/checks";
import { distinct, each, list, resourceId } from "../../../components/network/checks";

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

test("a list", () => {
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
