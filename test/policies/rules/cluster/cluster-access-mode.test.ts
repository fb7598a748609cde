import { expect, test } from "vitest";
import { clusterAccessMode as rule } from "../../../../policies/rules/cluster/cluster-access-mode";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const aws = "aws:eks/cluster:Cluster";
const eks = "eks:index:Cluster";
const mode = (authenticationMode: unknown) => ({ accessConfig: { authenticationMode } });
const fault = ["fail accessConfig.authenticationMode"];

test.for([
  ["entries", aws, mode("API"), []],
  ["a block as a list", aws, { accessConfig: [{ authenticationMode: "API" }] }, []],
  ["@pulumi/eks, entries", eks, { authenticationMode: "API" }, []],
  ["the ConfigMap", aws, mode("CONFIG_MAP"), fault],
  ["both", aws, mode("API_AND_CONFIG_MAP"), fault],
  ["nothing said", aws, { version: "1.35" }, fault],
  ["no mode", aws, mode("api"), fault],
  ["@pulumi/eks, nothing said", eks, { version: "1.35" }, ["fail authenticationMode"]],
  ["@pulumi/eks as the engine shows it", eks, {}, ["unknown authenticationMode"]],
  ["unknown", aws, mode(unknown), ["unknown accessConfig.authenticationMode"]],
  ["unknown block", aws, { accessConfig: unknown }, ["unknown accessConfig"]],
] as const)("%s: %s", ([, type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

test("parameters", () => {
  const said = (config: object) =>
    verdicts(rule, [resource(aws, mode("API_AND_CONFIG_MAP"))], { policyConfig: { [rule.id]: config } });
  expect(said({ modes: ["API", "API_AND_CONFIG_MAP"] })).toEqual([]);
  expect(said({ exempt: ["it"] })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [resource(aws, mode("hunter2"))]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("message", () => {
  const fix = (modes: readonly string[]) =>
    findings(rule, [resource(aws, mode("CONFIG_MAP"))], { policyConfig: { [rule.id]: { modes } } })[0]?.message;
  expect(fix(["API_AND_CONFIG_MAP", "API"])).toContain("set accessConfig.authenticationMode to API_AND_CONFIG_MAP;");
  expect(fix([])).toContain("set accessConfig.authenticationMode to API;");
  expect(findings(rule, [resource(aws, mode("CONFIG_MAP"))])[0]?.message).toMatchInlineSnapshot(`
    "accessConfig.authenticationMode: got CONFIG_MAP. The ConfigMap is edited inside the cluster, where neither AWS nor a preview shows it. One mistake in it locks out all users.
    fix: set accessConfig.authenticationMode to API; you cannot change it back from API"
  `);
});
