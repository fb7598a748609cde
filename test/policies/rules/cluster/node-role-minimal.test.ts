import { expect, test } from "vitest";
import { nodeRoleMinimal as rule } from "../../../../policies/rules/cluster/node-role-minimal";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const roleType = "aws:iam/role:Role";
const policyType = "aws:iam/policy:Policy";
const roleUrn = urnOf(roleType, "node");

const aws = (name: string) => `arn:aws:iam::aws:policy/${name}`;
const role = (properties = {}) => resource(roleType, properties, { name: "node" });
const group = resource(
  "aws:eks/nodeGroup:NodeGroup",
  { nodeRoleArn: unknown },
  { name: "gpu", propertyDependencies: { nodeRoleArn: [roleUrn] } },
);
const attached = (policyArn: unknown, more: Record<string, readonly string[]> = {}) =>
  resource(
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    { role: unknown, policyArn },
    { name: "attached", propertyDependencies: { role: [roleUrn], ...more } },
  );
const inline = resource(
  "aws:iam/rolePolicy:RolePolicy",
  { role: unknown, policy: "{}" },
  { name: "inline", propertyDependencies: { role: [roleUrn] } },
);
const own = resource(policyType, { policy: "{}" }, { name: "own" });
const ofOwn = { policyArn: [urnOf(policyType, "own")] };

test.for([
  ["what nodes need", [group, role(), attached(aws("AmazonEKSWorkerNodePolicy"))], []],
  ["in China", [group, role(), attached("arn:aws-cn:iam::aws:policy/AmazonEKS_CNI_Policy")], []],
  ["inline policies of the role", [group, role({ inlinePolicies: [{ policy: "{}" }] })], ["fail inlinePolicies"]],
  ["an empty inline policy, which removes others", [group, role({ inlinePolicies: [{}] })], []],
  ["an unknown policy", [group, role({ inlinePolicies: [{ policy: unknown }] })], ["unknown inlinePolicies[0].policy"]],
  ["unknown inline policies", [group, role({ inlinePolicies: unknown })], ["unknown inlinePolicies"]],
  ["a role that is no node's", [role(), attached(aws("AdministratorAccess")), inline], []],
  [
    "a role of another name",
    [
      group,
      role(),
      resource("aws:iam/rolePolicyAttachment:RolePolicyAttachment", {
        role: "x",
        policyArn: aws("AdministratorAccess"),
      }),
    ],
    [],
  ],
  ["in the role itself", [group, role({ managedPolicyArns: [aws("AmazonEKS_CNI_Policy")] })], []],
  ["more than nodes need", [group, role(), attached(aws("AmazonRoute53FullAccess"))], ["fail policyArn"]],
  [
    "a policy under the name of AWS's",
    [group, role(), attached("arn:aws:iam::123456789012:policy/AmazonEKS_CNI_Policy")],
    ["fail policyArn"],
  ],
  ["a policy of one's own, not yet known", [group, role(), own, attached(unknown, ofOwn)], ["fail policyArn"]],
  ["AWS's name behind another", [group, role(), attached(`x-${aws("AmazonEKS_CNI_Policy")}`)], ["fail policyArn"]],
  ["a policy inside", [group, role(), inline], ["fail role"]],
  ["unknown policy", [group, role(), attached(unknown)], ["unknown policyArn"]],
  ["unknown policies in the role", [group, role({ managedPolicyArns: unknown })], ["unknown managedPolicyArns"]],
] as const)("%s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

test.for([
  "AmazonEKSWorkerNodePolicy",
  "AmazonEKSWorkerNodeMinimalPolicy",
  "AmazonEKS_CNI_Policy",
  "AmazonEC2ContainerRegistryReadOnly",
  "AmazonEC2ContainerRegistryPullOnly",
  "AmazonSSMManagedInstanceCore",
])("nodes may have %s", (name) => {
  expect(verdicts(rule, [group, role({ managedPolicyArns: [aws(name)] }), attached(aws(name))])).toEqual([]);
});

test("the role of a group of @pulumi/eks, and one of no node", () => {
  const groupOfEks = resource("eks:index:ManagedNodeGroup", group.properties, {
    propertyDependencies: { nodeRoleArn: [roleUrn] },
  });
  const more = { managedPolicyArns: [aws("PowerUserAccess")] };
  expect(verdicts(rule, [groupOfEks, role(more)])).toEqual(["fail managedPolicyArns"]);
  const ofCi = resource(roleType, more, { name: "ci" });
  expect(verdicts(rule, [group, role(), ofCi])).toEqual([]);
});

test("parameters", () => {
  const said = (config: object) =>
    verdicts(rule, [group, role(), attached(aws("CloudWatchAgentServerPolicy"))], {
      policyConfig: { [rule.id]: config },
    });
  expect(said({ allowed: ["CloudWatchAgentServerPolicy"] })).toEqual([]);
  expect(said({ exempt: ["attached"] })).toEqual([]);
  expect(said({})).toEqual(["fail policyArn"]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [group, role({ managedPolicyArns: ["hunter2"] }), attached("hunter2")]);
  expect(said).toHaveLength(2);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const messages = findings(rule, [group, role(), attached(aws("PowerUserAccess")), inline]).map(
    ({ message }) => message,
  );
  expect(findings(rule, [group, role(), own, attached(unknown, ofOwn)])[0]?.message).toContain(
    "policyArn: got a value known only after the update.",
  );
  expect(messages).toMatchInlineSnapshot(`
    [
      "policyArn: got a policy that nodes do not need. Every pod that can reach the metadata service of the node can use the permissions of this role.
    fix: give the controller its own role with EKS Pod Identity, and remove the policy from the node role",
      "role: got an inline policy. Every pod that can reach the metadata service of the node can use the permissions of this role.
    fix: give the controller its own role with EKS Pod Identity, and remove the policy from the node role",
    ]
  `);
});
