import { expect, test } from "vitest";
import { rbacClusterPolicyWrite as rule } from "../../../../policies/rules/rbac/rbac-cluster-policy-write";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const clusterRole = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole";
const role = "kubernetes:rbac.authorization.k8s.io/v1:Role";
const rules = (verbs: unknown, resources: unknown = ["clusterpolicies"], apiGroups: unknown = ["nvidia.com"]) => [
  { apiGroups, resources, verbs },
];
const of = (given: unknown, metadata: unknown = { name: "team" }, type = clusterRole) =>
  resource(type, { metadata, rules: given });
const at = "rules[0].verbs";

test.for([
  ["reads", rules(["get", "list", "watch"]), []],
  ["other resources of NVIDIA", rules(["*"], ["nvidiadrivers"]), []],
  ["the same name in another group", rules(["patch"], ["clusterpolicies"], ["kyverno.io"]), []],
  ["its status alone", rules(["patch"], ["clusterpolicies/status"]), []],
  ["the core group", rules(["*"], ["*"], [""]), []],
  ["no rules", undefined, []],
  ["rules that are none", "x", []],
  ["patches", rules(["get", "patch"]), [`fail ${at}`]],
  ["updates", rules(["update"]), [`fail ${at}`]],
  ["deletes", rules(["delete"]), [`fail ${at}`]],
  ["deletes all", rules(["deletecollection"]), [`fail ${at}`]],
  ["anything", rules(["*"]), [`fail ${at}`]],
  ["any resource of NVIDIA", rules(["patch"], ["*"]), [`fail ${at}`]],
  ["any resource at all", rules(["*"], ["*"], ["*"]), [`fail ${at}`]],
  ["in a second rule", [...rules(["get"]), ...rules(["patch"])], ["fail rules[1].verbs"]],
  ["verbs unknown", rules(unknown), [`unknown ${at}`]],
  ["one verb unknown", rules(["get", unknown]), [`unknown ${at}[1]`]],
  ["one verb unknown, another changes", rules([unknown, "patch"]), [`fail ${at}`]],
  ["resources unknown", rules(["patch"], unknown), ["unknown rules[0].resources"]],
  ["resources unknown of a reader", rules(["get"], unknown), []],
  ["groups unknown", rules(["patch"], ["clusterpolicies"], unknown), ["unknown rules[0].apiGroups"]],
  ["rules unknown", unknown, ["unknown rules"]],
] as const)("a ClusterRole: %s", ([, given, expected]) => {
  expect(verdicts(rule, [of(given)])).toEqual(expected);
  expect(verdicts(rule, [of(given, { name: "team" }, `${clusterRole}Patch`)])).toEqual(expected);
});

test.for([
  ["names it", rules(["patch"]), [`advise ${at}`]],
  ["anything in its namespace", rules(["*"], ["*"], ["*"]), []],
  ["reads", rules(["get"]), []],
] as const)("a Role: %s", ([, given, expected]) => {
  expect(verdicts(rule, [of(given, { name: "team" }, role)])).toEqual(expected);
  expect(verdicts(rule, [of(given, { name: "team" }, `${role}Patch`)])).toEqual(expected);
});

test.for([
  [{ name: "gpu-operator" }, []],
  [{ name: "system:node" }, []],
  [{ name: "system:nodes" }, [`fail ${at}`]],
  [{ name: "system:evil" }, [`fail ${at}`]],
  [{ name: "gpu-operator-2" }, [`fail ${at}`]],
  [{}, [`fail ${at}`]],
  [{ name: unknown }, ["unknown metadata.name"]],
  [unknown, ["unknown metadata"]],
] as const)("by name: %j", ([metadata, expected]) => {
  expect(verdicts(rule, [of(rules(["patch"]), metadata)])).toEqual(expected);
});

test("names can be configured", () => {
  const said = (config: object) => verdicts(rule, [of(rules(["*"]))], { policyConfig: { [rule.id]: { ...config } } });
  expect(said({ allowNames: ["team"] })).toEqual([]);
  expect(said({ exempt: ["it"] })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [of(rules(["hunter2", "*"], ["hunter2", "*"]), { name: "hunter2" })]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const said = findings(rule, [of(rules(["patch"])), of(rules(["patch"]), {}, role)]);
  expect(said.map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "rules[0].verbs: got a verb that changes a ClusterPolicy. A user of the role can disable the device plugin for the whole cluster, while the ClusterPolicy stays ready.
    fix: keep only get, list and watch in rules[0].verbs, and change the ClusterPolicy in the program that installs the operator",
      "rules[0].verbs: got a verb that changes a ClusterPolicy. A ClusterPolicy has no namespace, so the Role grants nothing. A ClusterRole would grant it.
    fix: keep only get, list and watch in rules[0].verbs, and change the ClusterPolicy in the program that installs the operator",
    ]
  `);
});
