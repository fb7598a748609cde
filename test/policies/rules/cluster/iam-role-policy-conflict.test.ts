import { expect, test } from "vitest";
import { iamRolePolicyConflict as rule } from "../../../../policies/rules/cluster/iam-role-policy-conflict";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const roleType = "aws:iam/role:Role";
const arn = "arn:aws:iam::aws:policy/AmazonEKSWorkerNodeMinimalPolicy";
const role = (properties: object = {}, name = "nodes") => resource(roleType, { ...properties }, { name });
const given = (type: string, property: string) =>
  resource(
    type,
    { [property]: unknown },
    { name: "given", propertyDependencies: { [property]: [urnOf(roleType, "nodes")] } },
  );
const attached = given("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "role");
const inside = given("aws:iam/rolePolicy:RolePolicy", "role");
const managed = { managedPolicyArns: [arn] };
const inline = { inlinePolicies: [{ name: "logs", policy: "{}" }] };

test.for([
  ["attachments alone", [role(), attached, inside], []],
  ["a role that states its own alone", [role({ ...managed, ...inline })], []],
  ["managed ones inside, an inline one outside", [role(managed), inside], []],
  ["inline ones inside, a managed one outside", [role(inline), attached], []],
  ["inline policies that say nothing", [role({ inlinePolicies: [] }), inside], []],
  ["null counts as nothing", [role({ managedPolicyArns: null, inlinePolicies: null }), attached, inside], []],
  ["attachments of another role", [role(managed, "other"), attached], []],
  ["managed ones both ways", [role(managed), attached], ["fail managedPolicyArns"]],
  ["none, which takes away the attached", [role({ managedPolicyArns: [] }), attached], ["fail managedPolicyArns"]],
  ["inline ones both ways", [role(inline), inside], ["fail inlinePolicies"]],
  ["both ways", [role({ ...managed, ...inline }), attached, inside], ["fail managedPolicyArns", "fail inlinePolicies"]],
  [
    "two that say which managed ones there are",
    [role(managed), given("aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive", "roleName")],
    ["fail managedPolicyArns"],
  ],
  [
    "two that say which inline ones there are",
    [role(inline), given("aws:iam/rolePoliciesExclusive:RolePoliciesExclusive", "roleName")],
    ["fail inlinePolicies"],
  ],
  [
    "a policy that says who has it",
    [role(managed), given("aws:iam/policyAttachment:PolicyAttachment", "roles")],
    ["fail managedPolicyArns"],
  ],
  ["managed ones unknown", [role({ managedPolicyArns: unknown }), attached], ["unknown managedPolicyArns"]],
  ["managed ones unknown, nothing attached", [role({ managedPolicyArns: unknown }), inside], []],
  ["one of them unknown", [role({ managedPolicyArns: [unknown] }), attached], ["fail managedPolicyArns"]],
  ["inline ones unknown", [role({ inlinePolicies: unknown }), inside], ["unknown inlinePolicies"]],
] as const)("%s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

test.for([
  ["the same", "eks-nodes", "eks-nodes", ["fail managedPolicyArns"]],
  ["another", "eks-nodes", "eks", []],
  ["that of the role unknown", unknown, "eks-nodes", []],
  ["that of the attachment unknown", "eks-nodes", unknown, []],
  ["none", undefined, undefined, []],
])("by a name that is typed in: %s", ([, ofRole, ofAttachment, expected]) => {
  const one = role({ ...managed, name: ofRole });
  const other = resource("aws:iam/rolePolicyAttachment:RolePolicyAttachment", { role: ofAttachment });
  expect(verdicts(rule, [one, other])).toEqual(expected);
  const shared = resource("aws:iam/policyAttachment:PolicyAttachment", { roles: ["ci", ofAttachment] });
  expect(verdicts(rule, [one, shared])).toEqual(expected);
});

test("a role that is exempt", () => {
  const options = { policyConfig: { [rule.id]: { exempt: ["nod*"] } } };
  expect(verdicts(rule, [role(managed), attached], options)).toEqual([]);
});

test("messages, without the secret in place of an ARN", () => {
  const said = findings(rule, [role({ managedPolicyArns: ["hunter2"], ...inline }), attached, inside]);
  expect(said.map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "managedPolicyArns: got managed policies in the role, and others as attachments. Each update of the role removes the policies that it does not list, and the next update attaches them again. As a result, the role has these permissions only intermittently.
    fix: create an aws.iam.RolePolicyAttachment for each policy in managedPolicyArns, and remove managedPolicyArns from the role",
      "inlinePolicies: got inline policies in the role, and others as attachments. Each update of the role removes the policies that it does not list, and the next update attaches them again. As a result, the role has these permissions only intermittently.
    fix: create an aws.iam.RolePolicy for each policy in inlinePolicies, and remove inlinePolicies from the role",
    ]
  `);
});
