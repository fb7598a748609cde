import { expect, test } from "vitest";
import { managedNodeGroup, nodeGroup } from "../../../../policies/facts/node-sources";
import { nodeRemoteAccess as rule } from "../../../../policies/rules/nodes/node-remote-access";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const sources = "remoteAccess.sourceSecurityGroupIds";
const access = (ec2SshKey: unknown, sourceSecurityGroupIds?: unknown) => ({
  remoteAccess: { ec2SshKey, sourceSecurityGroupIds },
});

test.for([
  ["no SSH", {}, []],
  ["an empty block", { remoteAccess: {} }, []],
  ["an empty key", access(""), []],
  ["a security group", access("key", ["sg-0"]), []],
  ["a group whose id is unknown", access("key", [unknown]), []],
  ["groups without a key", access(undefined, []), []],
  ["a block in a list, with a group", { remoteAccess: [access("key", ["sg-0"]).remoteAccess] }, []],
  ["no group", access("key"), [`fail ${sources}`]],
  ["no group at all", access("key", []), [`fail ${sources}`]],
  ["null", access("key", null), [`fail ${sources}`]],
  ["a wrong type", access("key", true), [`fail ${sources}`]],
  ["a block in a list", { remoteAccess: [{ ec2SshKey: "key" }] }, [`fail ${sources}`]],
  ["key unknown", access(unknown), ["unknown remoteAccess.ec2SshKey"]],
  ["key unknown, a group", access(unknown, ["sg-0"]), []],
  ["groups unknown", access("key", unknown), [`unknown ${sources}`]],
  ["all unknown", { remoteAccess: unknown }, ["unknown remoteAccess"]],
] as const)("%s", ([, properties, expected]) => {
  for (const type of [nodeGroup, managedNodeGroup]) {
    expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
  }
});

test("a group of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["old-*"] } };
  const named = (name: string) => verdicts(rule, [resource(nodeGroup, access("key"), { name })], { policyConfig });
  expect(named("old-gpu")).toEqual([]);
  expect(named("gpu")).toEqual([`fail ${sources}`]);
});

test("message, without the key", () => {
  expect(findings(rule, [resource(nodeGroup, access("key", []))])[0]?.message).toContain("got an empty list.");
  expect(findings(rule, [resource(nodeGroup, access("hunter2"))])[0]?.message).toMatchInlineSnapshot(`
    "remoteAccess.sourceSecurityGroupIds: got nothing. EKS then opens port 22 of every node to 0.0.0.0/0.
    fix: remove remoteAccess and use Session Manager, or list the security groups that may connect"
  `);
});
