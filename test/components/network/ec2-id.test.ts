import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { problemsIn } from "../../../components/core/schema";
import { ec2Id } from "../../../components/network/ec2-id";

test.for([
  ["vpc", "vpc-0123456789abcdef0", undefined],
  ["subnet", "subnet-1a2b3c4d", undefined],
  ["sg", pulumi.output("anything"), undefined],
  ["sg", Promise.resolve("anything"), undefined],
  ["sg", "vpc-0123456789abcdef0", "not-allowed"],
  ["sg", "sg-0123456789ABCDEF0", "not-allowed"],
  ["sg", "sg-0123456789abcdef", "not-allowed"],
  ["sg", "", "not-allowed"],
  ["sg", undefined, "missing"],
  ["sg", null, "wrong-type"],
  ["sg", 1, "wrong-type"],
] as const)("the id of a %s: %j", ([prefix, got, code]) => {
  expect(problemsIn(ec2Id(prefix), got, "id")[0]?.code).toBe(code);
});

test("the problem shows the form of the id", () => {
  expect(problemsIn(ec2Id("sg"), "web", "groupId")).toMatchInlineSnapshot(`
    [
      {
        "code": "not-allowed",
        "fix": "set groupId to an id such as sg-0123456789abcdef0",
        "got": "web",
        "path": "groupId",
        "why": "Must be an EC2 id: sg- and 17 hexadecimal digits (8 before 2018).",
      },
    ]
  `);
});
