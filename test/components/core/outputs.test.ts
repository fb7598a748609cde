import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { isPulumiOutput, isPulumiResource } from "../../../components/core/outputs";

test.for([
  ["an Output", pulumi.output(1), true],
  ["a lifted property of an Output", pulumi.output({ a: 1 }).a, true],
  ["a secret", pulumi.secret("x"), true],
  ["an object", {}, false],
  ["an object with another mark", { __pulumiOutput: "yes" }, false],
  ["a function", () => 1, false],
  ["null", null, false],
  ["a text", "__pulumiOutput", false],
] as [string, unknown, boolean][])("%s is recognised as the SDK does", ([, value, expected]) => {
  expect(isPulumiOutput(value)).toBe(expected);
  expect(pulumi.Output.isInstance(value)).toBe(expected);
});

test.for([
  ["a resource", new pulumi.DependencyResource("urn:pulumi:stack::project::type::name"), true],
  ["an Output", pulumi.output(1), false],
  ["a URN", "urn:pulumi:stack::project::type::name", false],
  ["null", null, false],
] as [string, unknown, boolean][])("%s is recognised as a resource as the SDK does", ([, value, expected]) => {
  expect(isPulumiResource(value)).toBe(expected);
  expect(pulumi.Resource.isInstance(value)).toBe(expected);
});
