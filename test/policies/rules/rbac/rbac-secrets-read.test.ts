import { expect, test } from "vitest";
import { rbacSecretsRead as rule } from "../../../../policies/rules/rbac/rbac-secrets-read";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const clusterRole = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole";
const reads = { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch"] };
const of = (rules: unknown, metadata: unknown = { name: "team" }, type = clusterRole) =>
  resource(type, { metadata, rules });
const at = "rules[0].resources";

test.for([
  ["pods", [{ ...reads, resources: ["pods"] }], []],
  ["writes them alone", [{ ...reads, verbs: ["create", "update", "delete"] }], []],
  ["reads some by name", [{ ...reads, resourceNames: ["login"] }], []],
  ["secrets of another group", [{ ...reads, apiGroups: ["external-secrets.io"] }], []],
  ["every resource, which is another rule's", [{ ...reads, resources: ["*"] }], []],
  ["no rules", undefined, []],
  ["rules that are none", "x", []],
  ["reads them", [reads], [`fail ${at}`]],
  ["gets them", [{ ...reads, verbs: ["get"] }], [`fail ${at}`]],
  ["lists them", [{ ...reads, verbs: ["list"] }], [`fail ${at}`]],
  ["watches them", [{ ...reads, verbs: ["watch"] }], [`fail ${at}`]],
  ["does anything to them", [{ ...reads, verbs: ["*"] }], [`fail ${at}`]],
  ["in any group", [{ ...reads, apiGroups: ["*"] }], [`fail ${at}`]],
  ["among others", [{ ...reads, apiGroups: ["apps", ""], resources: ["pods", "secrets"] }], [`fail ${at}`]],
  ["names none", [{ ...reads, resourceNames: [] }], [`fail ${at}`]],
  ["in a second rule", [{ ...reads, resources: ["pods"] }, reads], ["fail rules[1].resources"]],
  ["groups unknown", [{ ...reads, apiGroups: unknown }], ["unknown rules[0].apiGroups"]],
  ["resources unknown", [{ ...reads, resources: unknown }], [`unknown ${at}`]],
  ["verbs unknown", [{ ...reads, verbs: ["create", unknown] }], ["unknown rules[0].verbs[1]"]],
  ["one verb unknown, another reads", [{ ...reads, verbs: [unknown, "get"] }], [`fail ${at}`]],
  ["names unknown", [{ ...reads, resourceNames: unknown }], ["unknown rules[0].resourceNames"]],
  ["rules unknown", unknown, ["unknown rules"]],
] as const)("a ClusterRole: %s", ([, rules, expected]) => {
  expect(verdicts(rule, [of(rules)])).toEqual(expected);
});

test("a patch of a ClusterRole", () => {
  const patch = (rules: unknown) => verdicts(rule, [of(rules, { name: "team" }, `${clusterRole}Patch`)]);
  expect(patch([{ ...reads, resourceNames: [] }])).toEqual([`fail ${at}`]);
  expect(patch([{ ...reads, resourceNames: ["login"] }])).toEqual([]);
  expect(patch(undefined)).toEqual([]);
});

test("a Role reads those of its namespace", () => {
  expect(verdicts(rule, [of([reads], { name: "team" }, clusterRole.replace("ClusterRole", "Role"))])).toEqual([]);
});

test.for([
  [{ name: "gpu-operator" }, []],
  [{ name: "system:controller:generic-garbage-collector" }, []],
  [{ name: "system:node" }, []],
  [{ name: "system:evil" }, [`fail ${at}`]],
  [{}, [`fail ${at}`]],
  [{ name: unknown }, ["unknown metadata.name"]],
  [unknown, ["unknown metadata"]],
] as const)("by name: %j", ([metadata, expected]) => {
  expect(verdicts(rule, [of([reads], metadata)])).toEqual(expected);
});

test("names can be configured", () => {
  const said = (config: object) => verdicts(rule, [of([reads])], { policyConfig: { [rule.id]: { ...config } } });
  expect(said({ allowNames: ["team"] })).toEqual([]);
  expect(said({ exempt: ["it"] })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [of([{ ...reads, resources: ["hunter2", "secrets"] }], { name: "hunter2" })]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  expect(findings(rule, [of([reads])])[0]?.message).toMatchInlineSnapshot(`
    "rules[0].resources: got read access to every secret. A cluster-wide binding gives access to the tokens and passwords of every namespace, and therefore to the permissions of their owners.
    fix: move the rule to a Role in the namespace that needs it, or list the secrets in resourceNames and keep only the verb get"
  `);
});
