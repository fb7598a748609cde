import { expect, test } from "vitest";
import { managedNodeGroup, nodeGroup } from "../../../../policies/facts/node-sources";
import { nodeGroupDiskConflict as rule } from "../../../../policies/rules/nodes/node-group-disk-conflict";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const template = { id: "lt-0", version: "1" };

test.for([
  ["a disk", { diskSize: 100 }, []],
  ["a launch template", { launchTemplate: template }, []],
  ["null counts as nothing", { diskSize: null, launchTemplate: template }, []],
  ["nothing", {}, []],
  ["both", { diskSize: 100, launchTemplate: template }, ["fail diskSize"]],
  ["both, as a block in a list", { diskSize: 100, launchTemplate: [template] }, ["fail diskSize"]],
  ["a size of a wrong type", { diskSize: "large", launchTemplate: template }, ["fail diskSize"]],
  ["both, the template's id unknown", { diskSize: 100, launchTemplate: { id: unknown } }, ["fail diskSize"]],
  ["size unknown", { diskSize: unknown, launchTemplate: template }, ["unknown diskSize"]],
  ["size unknown, no template", { diskSize: unknown }, []],
  ["template unknown", { diskSize: 100, launchTemplate: unknown }, ["unknown launchTemplate"]],
  ["template unknown, no size", { launchTemplate: unknown }, []],
] as const)("%s", ([, properties, expected]) => {
  for (const type of [nodeGroup, managedNodeGroup]) {
    expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
  }
});

test("a group of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["old-*"] } };
  const both = { diskSize: 100, launchTemplate: template };
  const named = (name: string) => verdicts(rule, [resource(nodeGroup, both, { name })], { policyConfig });
  expect(named("old-gpu")).toEqual([]);
  expect(named("gpu")).toEqual(["fail diskSize"]);
});

test("message, without a secret", () => {
  const group = resource(nodeGroup, { diskSize: "hunter2", launchTemplate: template });
  expect(findings(rule, [group])[0]?.message).toMatchInlineSnapshot(`
    "diskSize: got a string. EKS does not accept a disk size together with a launch template. It rejects the group during the update.
    fix: remove diskSize, and set blockDeviceMappings[0].ebs.volumeSize in the launch template"
  `);
});
