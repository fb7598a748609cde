import { expect, test } from "vitest";
import type { AnalyzedResource } from "../../../../policies/engine/resource";
import { nodeGroup } from "../../../../policies/facts/node-sources";
import { casScaleFromZeroTags as rule } from "../../../../policies/rules/scaling/cas-scale-from-zero-tags";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const min = "scalingConfig.minSize";
const group = (more: object = {}) =>
  resource(
    nodeGroup,
    {
      instanceTypes: ["g5.xlarge"],
      scalingConfig: { minSize: 0 },
      labels: { "k8s.amazonaws.com/accelerator": "nvidia-a10g" },
      taints: [{ key: "nvidia.com/gpu", effect: "NO_SCHEDULE" }],
      ...more,
    },
    { name: "gpu" },
  );
const autoscaler = resource("eks-gpu-lab:index:ClusterAutoscaler", {}, { name: "autoscaler" });
const tag = (key: unknown, owner?: AnalyzedResource) =>
  resource(
    "aws:autoscaling/tag:Tag",
    { autoscalingGroupName: unknown, tag: { key } },
    {
      name: `tag-${String(key)}`,
      ...(owner && { propertyDependencies: { autoscalingGroupName: [owner.urn] } }),
    },
  );
const label = "k8s.io/cluster-autoscaler/node-template/label/k8s.amazonaws.com/accelerator";
const taint = "k8s.io/cluster-autoscaler/node-template/taint/nvidia.com/gpu";
const both = [tag(label, group()), tag(taint, group())];
const policy = (document: unknown, role: unknown = "autoscaler", name = "it") =>
  resource("aws:iam/rolePolicy:RolePolicy", { policy: document, role }, { name });
const resize = "autoscaling:SetDesiredCapacity";
const ask = "eks:DescribeNodegroup";
const allowing = (Action: unknown, Effect = "Allow") => ({ Statement: [{ Effect, Action, Resource: "*" }] });
const roleUrn = "urn:pulumi:test::project::aws:iam/role:Role::autoscaler";
const ofRole = (property: string, ...documents: readonly object[]) =>
  documents.map((document, index) =>
    resource(
      "aws:iam/rolePolicy:RolePolicy",
      { policy: document, role: unknown },
      { name: `of-role-${index}`, propertyDependencies: { [property]: [roleUrn] } },
    ),
  );
const own = resource("aws:iam/policy:Policy", { policy: allowing(ask) }, { name: "own" });
const attached = (propertyDependencies: Readonly<Record<string, readonly string[]>>) =>
  resource(
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    { role: unknown, policyArn: unknown },
    { propertyDependencies: { policyArn: [own.urn], ...propertyDependencies } },
  );
const managed = [own, attached({ role: [roleUrn] })];
const ofComponent = resource(
  "aws:iam/rolePolicy:RolePolicy",
  { policy: allowing(ask), role: unknown },
  { urn: urnOf(`${autoscaler.type}$aws:iam/rolePolicy:RolePolicy`, "its") },
);

test.for([
  ["tags of the Auto Scaling group", [group(), autoscaler, ...both], []],
  ["tags of an undetermined group", [group(), autoscaler, tag(label), tag(taint)], []],
  ["no autoscaler", [group()], []],
  ["a group that never is empty", [group({ scalingConfig: { minSize: 1 } }), autoscaler], []],
  ["system nodes", [group({ instanceTypes: ["t3.medium"] }), autoscaler], []],
  ["it may ask EKS", [group(), autoscaler, policy(JSON.stringify(allowing([resize, ask])))], []],
  ["it may ask EKS for all", [group(), autoscaler, policy(allowing(["autoscaling:*", "eks:*"]))], []],
  ["two policies", [group(), autoscaler, policy(allowing(ask)), policy(allowing(resize), "autoscaler", "b")], []],
  ["two policies of a role's output", [group(), autoscaler, ...ofRole("role", allowing(ask), allowing(resize))], []],
  ["a managed policy of the role", [group(), autoscaler, ...managed, ...ofRole("role", allowing(resize))], []],
  ["the component's own policy", [group(), autoscaler, ofComponent], []],
  ["a managed policy of another role", [group(), autoscaler, ...managed, policy(allowing(resize))], [`fail ${min}`]],
  ["another role may read node groups", [group(), autoscaler, policy(allowing(ask))], [`fail ${min}`]],
  ["another role may read all of EKS", [group(), autoscaler, policy(allowing("eks:*"))], [`fail ${min}`]],
  ["an administrator", [group(), autoscaler, policy(allowing("*"))], [`fail ${min}`]],
  [
    "two roles that are not known yet",
    [group(), autoscaler, policy(allowing(ask), unknown), policy(allowing(resize), unknown, "b")],
    ["unknown role"],
  ],
  ["both in one policy, of any role", [group(), autoscaler, policy(allowing([resize, ask]), unknown)], []],
  [
    "a role that is not known yet, in addition to one that may not read node groups",
    [group(), autoscaler, policy(allowing("ec2:*"), unknown), policy(allowing(resize), "autoscaler", "b")],
    [`fail ${min}`],
  ],
  [
    "a managed policy of a role that is not known yet",
    [group(), autoscaler, own, attached({}), policy(allowing(resize))],
    ["unknown role"],
  ],
  [
    "a policy that no role has, in addition to a role that is not known yet",
    [group(), autoscaler, own, policy(allowing(resize), unknown)],
    [`fail ${min}`],
  ],
  [
    "another's role",
    [group(), autoscaler, policy(allowing(ask), "ci"), policy(allowing(resize), "autoscaler", "b")],
    [`fail ${min}`],
  ],
  ["no tags", [group(), autoscaler], [`fail ${min}`]],
  ["tags of the node group alone", [group({ tags: { [label]: "x", [taint]: "y" } }), autoscaler], [`fail ${min}`]],
  ["no tag for the label", [group(), autoscaler, tag(taint, group())], [`fail ${min}`]],
  ["one statement, no list", [group(), autoscaler, policy({ Statement: allowing([resize, ask]).Statement[0] })], []],
  ["actions of a longer name", [group(), autoscaler, policy(allowing([resize, `${ask}X`]))], [`fail ${min}`]],
  ["all of another service", [group(), autoscaler, policy(allowing([resize, "ec2:*"]))], [`fail ${min}`]],
  ["no tag for the taint", [group(), autoscaler, tag(label, group())], [`fail ${min}`]],
  ["it is denied to ask", [group(), autoscaler, policy(allowing([resize, ask], "Deny"))], [`fail ${min}`]],
  ["it may ask for more", [group(), autoscaler, policy(allowing([resize, "eks:DescribeCluster"]))], [`fail ${min}`]],
  ["a policy that is no JSON", [group(), autoscaler, policy("{")], [`fail ${min}`]],
  ["neither label nor taint to tell of", [group({ labels: {}, taints: [] }), autoscaler], ["fail labels"]],
  ["policy unknown", [group(), autoscaler, policy(unknown)], ["unknown policy"]],
  ["policy unknown, tags there", [group(), autoscaler, policy(unknown), ...both], []],
  ["an action unknown", [group(), autoscaler, policy(allowing(unknown))], ["unknown policy.Statement[0].Action"]],
  [
    "one of its actions unknown",
    [group(), autoscaler, policy(allowing([resize, unknown]))],
    ["unknown policy.Statement[0].Action[1]"],
  ],
  [
    "an effect unknown",
    [group(), autoscaler, policy(allowing([resize, ask], unknown))],
    ["unknown policy.Statement[0].Effect"],
  ],
  ["an unknown effect of another role", [group(), autoscaler, policy(allowing(ask, unknown))], [`fail ${min}`]],
  ["minimum unknown", [group({ scalingConfig: { minSize: unknown } }), autoscaler], [`unknown ${min}`]],
  ["minimum unknown, tags there", [group({ scalingConfig: { minSize: unknown } }), autoscaler, ...both], []],
  ["sizes unknown", [group({ scalingConfig: unknown }), autoscaler], ["unknown scalingConfig"]],
  ["labels unknown, tags there", [group({ labels: unknown }), autoscaler, ...both], ["unknown labels"]],
  ["taints unknown", [group({ taints: unknown }), autoscaler, tag(label, group())], ["unknown taints"]],
  ["a tag's key unknown", [group(), autoscaler, tag(label), tag(unknown)], ["unknown tag.key"]],
  ["types unknown", [group({ instanceTypes: unknown }), autoscaler], ["unknown instanceTypes"]],
  ["the wrong labels", [group({ labels: { tier: "gpu" } }), autoscaler, ...both], ["fail labels"]],
] as const)("%s", ([, resources, expected]) => {
  expect(verdicts(rule, resources)).toEqual(expected);
});

test.for([
  ["kubernetes:helm.sh/v3:Release", { chart: "cluster-autoscaler" }, true],
  ["kubernetes:helm.sh/v4:Chart", { chart: "oci://registry.example/cluster-autoscaler:9.59.0" }, true],
  ["kubernetes:apps/v1:Deployment", { metadata: { name: "aws-cluster-autoscaler" } }, true],
  ["kubernetes:helm.sh/v3:Release", { chart: "gpu-operator" }, false],
  ["kubernetes:apps/v1:Deployment", { metadata: { name: "web" } }, false],
] as const)("%s %j is an autoscaler: %s", ([type, properties, expected]) => {
  const said = verdicts(rule, [group(), resource(type, properties, { name: "other" })]);
  expect(said).toEqual(expected ? [`fail ${min}`] : []);
});

test("a tag of one group tells nothing of another", () => {
  const other = resource(nodeGroup, group().properties, { name: "other" });
  expect(findings(rule, [group(), other, autoscaler, ...both]).map(({ name }) => name)).toEqual(["other"]);
});

test("a group that is exempt", () => {
  const options = { policyConfig: { [rule.id]: { exempt: ["g?u"] } } };
  expect(verdicts(rule, [group(), autoscaler], options)).toEqual([]);
});

test("messages, without a secret", () => {
  const nodes = group({ labels: { hunter2: "hunter2" } });
  expect(findings(rule, [nodes, autoscaler]).map(({ message }) => message)).toMatchInlineSnapshot(`
    [
      "scalingConfig.minSize: got 0. The Cluster Autoscaler cannot read labels and taints of a group without nodes, because EKS does not copy tags of the node group to its Auto Scaling group. Pods that select the label stay Pending, or nodes start that the pods do not tolerate.
    fix: add an aws.autoscaling.Tag for each label and taint (k8s.io/cluster-autoscaler/node-template/label/<key>, k8s.io/cluster-autoscaler/node-template/taint/<key>), or allow the autoscaler eks:DescribeNodegroup",
      "labels: got labels without this key. Without the label k8s.amazonaws.com/accelerator, the Cluster Autoscaler treats a node that does not advertise its GPU yet as a node without a GPU, and starts a second one.
    fix: add "k8s.amazonaws.com/accelerator" to labels, with the name of the GPU, for example "nvidia-a10g"",
    ]
  `);
});
