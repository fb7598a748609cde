import { expect, test } from "vitest";
import { launchTemplate } from "../../../../policies/facts/launch-templates";
import { launchTemplateImdsv2 as rule } from "../../../../policies/rules/machines/launch-template-imdsv2";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const tokens = "metadataOptions.httpTokens";
const hops = "metadataOptions.httpPutResponseHopLimit";
const options = (httpTokens: unknown, httpPutResponseHopLimit: unknown = 1, httpEndpoint: unknown = "enabled") => ({
  metadataOptions: { httpTokens, httpPutResponseHopLimit, httpEndpoint },
});

test.for([
  ["a token, one hop", options("required"), []],
  ["a block in a list", { metadataOptions: [{ httpTokens: "required" }] }, []],
  ["hops not stated", options("required", undefined), []],
  ["the service is off", options("optional", 5, "disabled"), []],
  ["tokens are optional", options("optional"), [`fail ${tokens}`]],
  ["tokens not stated", options(undefined), [`fail ${tokens}`]],
  ["nothing stated", {}, [`fail ${tokens}`]],
  ["a word that EC2 does not know", options("always"), [`fail ${tokens}`]],
  ["a text in place of the block", { metadataOptions: "required" }, [`fail ${tokens}`]],
  ["two hops", options("required", 2), [`advise ${hops}`]],
  ["two hops without a token", options("optional", 2), [`fail ${tokens}`, `advise ${hops}`]],
  ["tokens unknown", options(unknown), [`unknown ${tokens}`]],
  ["hops unknown", options("required", unknown), [`unknown ${hops}`]],
  ["endpoint unknown", options("optional", 1, unknown), ["unknown metadataOptions.httpEndpoint"]],
  ["endpoint unknown, all fine", options("required", 1, unknown), []],
  ["all unknown", { metadataOptions: unknown }, ["unknown metadataOptions"]],
] as const)("%s", ([, properties, expected]) => {
  expect(verdicts(rule, [resource(launchTemplate, properties)])).toEqual(expected);
});

test("the hops can be configured, and a template be exempt", () => {
  const judged = (configured: object) =>
    verdicts(rule, [resource(launchTemplate, options("required", 2), { name: "old-gpu" })], {
      policyConfig: { [rule.id]: configured },
    });
  expect(judged({ maxHopLimit: 2 })).toEqual([]);
  expect(judged({ maxHopLimit: 1 })).toEqual([`advise ${hops}`]);
  expect(judged({ exempt: ["old-*"] })).toEqual([]);
});

test("messages, without the secret in place of a word", () => {
  const open = findings(rule, [resource(launchTemplate, options("optional"))]);
  expect(open[0]?.message).toContain(`${tokens}: got optional.`);
  const template = resource(launchTemplate, options("hunter2", 2));
  expect(findings(rule, [template]).map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "metadataOptions.httpTokens: got a string. Without a token, a forged request from any program on the node gets the credentials of the node role.
    fix: set metadataOptions.httpTokens to "required"",
      "metadataOptions.httpPutResponseHopLimit: got 2. Responses then reach pods, so every pod can use the node role.
    fix: set metadataOptions.httpPutResponseHopLimit to 1, and give each pod its own role with EKS Pod Identity",
    ]
  `);
});
