import { expect, test } from "vitest";
import { eksClusterDefaults } from "../../../../components/cluster/eks-cluster-schema";
import { clusterLogging as rule } from "../../../../policies/rules/cluster/cluster-logging";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const aws = "aws:eks/cluster:Cluster";
const eks = "eks:index:Cluster";
const component = "eks-gpu-lab:index:EksCluster";
const logs = (...enabledClusterLogTypes: unknown[]) => ({ enabledClusterLogTypes });
const fault = ["fail enabledClusterLogTypes"];

test.for([
  ["both", aws, logs("api", "scheduler"), []],
  ["more", aws, logs("scheduler", "audit", "api"), []],
  ["@pulumi/eks", eks, logs("api", "scheduler"), []],
  ["the component's default", component, { controlPlaneLogs: [...eksClusterDefaults.controlPlaneLogs] }, []],
  ["the component, nothing said", component, { clusterName: "myeks" }, []],
  ["no list at all", aws, { enabledClusterLogTypes: "api,scheduler" }, []],
  ["nothing said", aws, { version: "1.35" }, fault],
  ["an empty list", aws, logs(), fault],
  ["one of two", aws, logs("api"), fault],
  ["another spelling", aws, logs("API", "scheduler"), fault],
  ["the component without any", component, { controlPlaneLogs: [] }, ["fail controlPlaneLogs"]],
  ["@pulumi/eks as the engine shows it", eks, {}, ["unknown enabledClusterLogTypes"]],
  ["unknown list", aws, { enabledClusterLogTypes: unknown }, ["unknown enabledClusterLogTypes"]],
  ["an unknown log", aws, logs("api", unknown), ["unknown enabledClusterLogTypes[1]"]],
  ["an unknown log more", aws, logs("api", "scheduler", unknown), []],
] as const)("%s: %s", ([, type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

test("parameters", () => {
  const said = (config: object) =>
    verdicts(rule, [resource(aws, logs("api", "scheduler"))], { policyConfig: { [rule.id]: config } });
  expect(said({ required: ["audit"] })).toEqual(fault);
  expect(said({ required: [] })).toEqual([]);
  const silent = { policyConfig: { [rule.id]: { required: [] } } };
  expect(verdicts(rule, [resource(aws, { version: "1.35" }), resource(eks, {})], silent)).toEqual([]);
  expect(said({ required: ["audit"], exempt: ["it"] })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [resource(aws, logs("hunter2"))]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const message = (properties: Record<string, unknown>) => findings(rule, [resource(aws, properties)])[0]?.message;
  expect(message(logs("api"))).toMatchInlineSnapshot(`
    "enabledClusterLogTypes: got a list without scheduler. Without logs, only Kubernetes events show what the control plane did, and they expire after an hour.
    fix: add scheduler to enabledClusterLogTypes"
  `);
  expect(message(logs("audit"))).toContain("got a list without api, scheduler.");
  expect(message({ version: "1.35" })).toMatchInlineSnapshot(`
    "enabledClusterLogTypes: got nothing. Without logs, only Kubernetes events show what the control plane did, and they expire after an hour.
    fix: add api, scheduler to enabledClusterLogTypes"
  `);
});
