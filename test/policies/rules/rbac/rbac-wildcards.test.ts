import { expect, test } from "vitest";
import { rbacWildcards as rule } from "../../../../policies/rules/rbac/rbac-wildcards";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const kind = (name: string) => `kubernetes:rbac.authorization.k8s.io/v1:${name}`;
const roles = ["Role", "ClusterRole", "RolePatch", "ClusterRolePatch"].map(kind);
const bindings = ["RoleBinding", "ClusterRoleBinding", "RoleBindingPatch", "ClusterRoleBindingPatch"].map(kind);
const named = { verbs: ["get"], resources: ["pods"], apiGroups: [""] };
const name = { name: "team" };

test.for([
  ["everything named", [named], []],
  ["no rules", undefined, []],
  ["part of a name", [{ ...named, resources: ["pods/*"] }], []],
  ["any verb", [{ ...named, verbs: ["*"] }], ["fail rules[0].verbs"]],
  ["any resource", [{ ...named, resources: ["pods", "*"] }], ["fail rules[0].resources"]],
  ["any group", [named, { ...named, apiGroups: ["*"] }], ["fail rules[1].apiGroups"]],
  ["any of two", [{ ...named, verbs: ["*"], apiGroups: ["*"] }], ["fail rules[0].verbs", "fail rules[0].apiGroups"]],
  ["verbs unknown", [{ ...named, verbs: unknown }], ["unknown rules[0].verbs"]],
  ["verbs unknown, any resource", [{ ...named, verbs: unknown, resources: ["*"] }], ["fail rules[0].resources"]],
  ["resources unknown", [{ ...named, resources: unknown }], ["unknown rules[0].resources"]],
  ["groups unknown", [{ ...named, apiGroups: [unknown] }], ["unknown rules[0].apiGroups[0]"]],
  ["rules unknown", unknown, ["unknown rules"]],
] as const)("a role: %s", ([, rules, expected]) => {
  for (const type of roles) expect(verdicts(rule, [resource(type, { metadata: name, rules })])).toEqual(expected);
});

test.for([
  ["another role", { kind: "ClusterRole", name: "view" }, []],
  ["none", undefined, []],
  ["no text", { name: 7 }, []],
  ["cluster-admin", { kind: "ClusterRole", name: "cluster-admin" }, ["fail roleRef.name"]],
  ["unknown", { name: unknown }, ["unknown roleRef.name"]],
  ["all unknown", unknown, ["unknown roleRef"]],
] as const)("a binding: %s", ([, roleRef, expected]) => {
  for (const type of bindings) {
    expect(verdicts(rule, [resource(type, { metadata: name, roleRef })])).toEqual(expected);
  }
});

test.for([
  [{ name: "cluster-admin" }, 0],
  [{ name: "system:evil" }, 1],
  [{ name: "system:controller:x" }, 1],
  [{ name: "gpu-operator" }, 0],
  [{ name: "systemic" }, 1],
  [undefined, 1],
] as const)("by name: %j", ([metadata, count]) => {
  const given = [
    resource(kind("ClusterRole"), { metadata, rules: [{ verbs: ["*"] }] }),
    resource(kind("ClusterRoleBinding"), { metadata, roleRef: { name: "cluster-admin" } }),
  ];
  for (const one of given) expect(findings(rule, [one])).toHaveLength(count);
});

test.for([
  ["ClusterRole", "system:controller:namespace-controller", 0],
  ["ClusterRole", "system:kube-controller-manager", 0],
  ["ClusterRole", "system:controller:namespace-controller-2", 1],
  ["ClusterRolePatch", "system:controller:namespace-controller", 1],
  ["Role", "system:controller:namespace-controller", 1],
] as const)("a role of Kubernetes: %s %s", ([type, own, count]) => {
  const given = resource(kind(type), { metadata: { name: own }, rules: [{ verbs: ["*"] }] });
  expect(findings(rule, [given])).toHaveLength(count);
});

test("names can be configured, and unknown", () => {
  const one = (metadata: unknown) => resource(kind("ClusterRole"), { metadata, rules: [{ verbs: ["*"] }] });
  const said = (config: object) => verdicts(rule, [one(name)], { policyConfig: { [rule.id]: { ...config } } });
  expect(said({ allowNames: ["team"] })).toEqual([]);
  expect(said({ exempt: ["it"] })).toEqual([]);
  expect(verdicts(rule, [one({ name: unknown })])).toEqual(["unknown metadata.name"]);
});

test("a secret is not printed", () => {
  const rules = [{ verbs: ["hunter2", "*"] }];
  const said = findings(rule, [resource(kind("Role"), { metadata: { name: "hunter2" }, rules })]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const said = findings(rule, [
    resource(kind("Role"), { rules: [{ verbs: ["*"] }] }),
    resource(kind("ClusterRoleBinding"), { roleRef: { name: "cluster-admin" } }),
  ]);
  expect(said.map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "rules[0].verbs: got *. A wildcard also allows what later versions of Kubernetes or of an operator add.
    fix: list the verbs that are used",
      "roleRef.name: got cluster-admin. The role gives full access, such as reading every secret and changing every GPU setting.
    fix: bind a role that lists the needed permissions; for people, use an EKS access entry, which an administrator can see and delete",
    ]
  `);
});
