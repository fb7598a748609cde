import { expect, test } from "vitest";
import { launchTemplate } from "../../../../policies/facts/launch-templates";
import { launchTemplateNoPublicIp as rule } from "../../../../policies/rules/machines/launch-template-no-public-ip";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const interfaces = (...addresses: unknown[]) => ({
  networkInterfaces: addresses.map((associatePublicIpAddress) => ({ associatePublicIpAddress })),
});
const at = (index: number) => `networkInterfaces[${index}].associatePublicIpAddress`;

test.for([
  ["no interfaces", {}, []],
  ["an empty list", interfaces(), []],
  ["no address", interfaces("false", false), []],
  ["left to the subnet", interfaces(undefined), []],
  ["a wrong type", { networkInterfaces: "true" }, []],
  ["an address", interfaces("true"), [`fail ${at(0)}`]],
  ["a boolean", interfaces(true), [`fail ${at(0)}`]],
  ["the second has one", interfaces("false", "true"), [`fail ${at(1)}`]],
  ["unknown", interfaces(unknown), [`unknown ${at(0)}`]],
  ["one unknown, one with an address", interfaces(unknown, "true"), [`fail ${at(1)}`]],
  ["all unknown", { networkInterfaces: unknown }, ["unknown networkInterfaces"]],
] as const)("%s", ([, properties, expected]) => {
  expect(verdicts(rule, [resource(launchTemplate, properties)])).toEqual(expected);
});

test("a template of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["old-*"] } };
  const templates = ["old-gpu", "gpu"].map((name) => resource(launchTemplate, interfaces("true"), { name }));
  expect(findings(rule, templates, { policyConfig }).map(({ name }) => name)).toEqual(["gpu"]);
  expect(verdicts(rule, templates.slice(0, 1), { policyConfig })).toEqual([]);
});

test("message, without a secret", () => {
  const template = resource(launchTemplate, { ...interfaces("hunter2", "true") });
  expect(findings(rule, [template]).map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "networkInterfaces[1].associatePublicIpAddress: got true. Only a security group then separates the services on the node from the internet.
    fix: set networkInterfaces[1].associatePublicIpAddress to "false", and use a NAT gateway for outgoing traffic",
    ]
  `);
});
