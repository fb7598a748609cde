import { expect, test } from "vitest";
import { securityGroupRuleConflict as rule } from "../../../../policies/rules/network/security-group-rule-conflict";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const group = "aws:ec2/securityGroup:SecurityGroup";
const byDefault = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup";
const older = "aws:ec2/securityGroupRule:SecurityGroupRule";
const ingress = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";
const egress = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule";

const inside = [{ protocol: "tcp", fromPort: 443, toPort: 443, cidrBlocks: ["192.168.0.0/16"] }];
const nodes = (properties: Record<string, unknown>, type = group) => resource(type, properties, { name: "nodes" });
const on = (type: string, properties: Record<string, unknown> = {}, of = urnOf(group, "nodes")) =>
  resource(
    type,
    { securityGroupId: unknown, ...properties },
    { name: "rule", propertyDependencies: { securityGroupId: [of] } },
  );

test.for([
  ["rules inside alone", [nodes({ ingress: inside })], []],
  ["rules with alone", [nodes({}), on(ingress), on(egress)], []],
  ["an empty list", [nodes({ ingress: [] }), on(ingress)], []],
  ["one direction each", [nodes({ egress: inside }), on(ingress)], []],
  ["one direction each, the older kind", [nodes({ egress: inside }), on(older, { type: "ingress" })], []],
  ["rules of another group", [nodes({ ingress: inside }), on(ingress, {}, urnOf(group, "other"))], []],
  ["an id as text", [nodes({ ingress: inside }), resource(ingress, { securityGroupId: "sg-0" })], []],
  ["both ways in", [nodes({ ingress: inside }), on(ingress)], ["fail ingress"]],
  ["both ways out", [nodes({ egress: inside }), on(egress)], ["fail egress"]],
  ["both, the older kind", [nodes({ ingress: inside }), on(older, { type: "ingress" })], ["fail ingress"]],
  ["an adopted default group", [nodes({}, byDefault), on(ingress, {}, urnOf(byDefault, "nodes"))], ["fail ingress"]],
  ["an adopted default group alone", [nodes({}, byDefault)], []],
  ["unknown rules inside", [nodes({ ingress: unknown }), on(ingress)], ["unknown ingress"]],
  ["unknown rules inside alone", [nodes({ ingress: unknown })], []],
  ["unknown direction", [nodes({ ingress: inside }), on(older, { type: unknown })], ["unknown type"]],
] as const)("%s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

test("the group is blamed, unless its name is exempt", () => {
  const resources = [nodes({ ingress: inside }), on(ingress)];
  expect(findings(rule, resources).map(({ name }) => name)).toEqual(["nodes"]);
  expect(verdicts(rule, resources, { policyConfig: { [rule.id]: { exempt: ["nodes"] } } })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [
    nodes({ ingress: [{ description: "hunter2" }] }),
    on(ingress, { description: "hunter2" }),
  ]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  expect(findings(rule, [nodes({ ingress: inside }), on(ingress)])[0]?.message).toMatchInlineSnapshot(`
    "ingress: got inline rules, and separate rule resources. Each update of the group removes the separate rules, and the next update adds them again. Traffic is alternately allowed and blocked.
    fix: create a resource for each rule in ingress, and remove ingress from the group"
  `);
  const adopted = [nodes({}, byDefault), on(ingress, {}, urnOf(byDefault, "nodes"))];
  expect(findings(rule, adopted)[0]?.message).toMatchInlineSnapshot(`
    "ingress: got separate rule resources on an adopted default group. Each update of the group removes the separate rules, and the next update adds them again. Traffic is alternately allowed and blocked.
    fix: create another security group for these rules"
  `);
});
