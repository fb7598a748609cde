import { expect, test } from "vitest";
import { scalingGroup } from "../../../../policies/facts/node-sources";
import { asgLaunchTemplate as rule } from "../../../../policies/rules/machines/asg-launch-template";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

test.for([
  ["a launch template", { launchTemplate: { id: "lt-0" } }, []],
  ["mixed instances", { mixedInstancesPolicy: { launchTemplate: { overrides: [] } } }, []],
  ["nothing", {}, []],
  ["null counts as nothing", { launchConfiguration: null }, []],
  ["an empty name", { launchConfiguration: " " }, []],
  ["a launch configuration", { launchConfiguration: "nodes" }, ["fail launchConfiguration"]],
  ["both", { launchConfiguration: "nodes", launchTemplate: { id: "lt-0" } }, ["fail launchConfiguration"]],
  ["a wrong type", { launchConfiguration: { name: "nodes" } }, ["fail launchConfiguration"]],
  ["unknown", { launchConfiguration: unknown }, ["unknown launchConfiguration"]],
  ["unknown, with a template", { launchConfiguration: unknown, launchTemplate: {} }, ["unknown launchConfiguration"]],
] as const)("%s", ([, properties, expected]) => {
  expect(verdicts(rule, [resource(scalingGroup, properties)])).toEqual(expected);
});

test("a group that is exempt", () => {
  const policyConfig = { [rule.id]: { exempt: ["it"] } };
  expect(verdicts(rule, [resource(scalingGroup, { launchConfiguration: "nodes" })], { policyConfig })).toEqual([]);
});

test("message, without the secret in place of a name", () => {
  const said = findings(rule, [resource(scalingGroup, { launchConfiguration: "hunter2" })]);
  expect(said.map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "launchConfiguration: got a string. Launch configurations do not support instance types released after 2022. Accounts created since October 2024 cannot create them.
    fix: create an aws.ec2.LaunchTemplate, and set launchTemplate instead of launchConfiguration",
    ]
  `);
});
