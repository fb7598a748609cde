import { expect, test } from "vitest";
import { clusterSecretsEncrypted as rule } from "../../../../policies/rules/cluster/cluster-secrets-encrypted";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const aws = "aws:eks/cluster:Cluster";
const eks = "eks:index:Cluster";
const component = "eks-gpu-lab:index:EksCluster";
const key = (keyArn: unknown) => ({ encryptionConfig: { provider: { keyArn }, resources: ["secrets"] } });
const path = "encryptionConfig.provider.keyArn";

test.for([
  ["a key", aws, key("arn:aws:kms:x"), []],
  ["blocks as lists", aws, { encryptionConfig: [{ provider: [{ keyArn: "arn:aws:kms:x" }] }] }, []],
  ["@pulumi/eks, a key", eks, { encryptionConfigKeyArn: "arn:aws:kms:x" }, []],
  ["the component, its own key", component, { secretsKey: "own" }, []],
  ["the component, a key", component, { secretsKey: "arn:aws:kms:x" }, []],
  ["the component, nothing said", component, { clusterName: "myeks" }, []],
  ["a key that is no text", aws, key(7), []],
  ["nothing said", aws, { version: "1.35" }, [`fail ${path}`]],
  ["an empty string", aws, key(" "), [`fail ${path}`]],
  ["@pulumi/eks, nothing said", eks, { version: "1.35" }, ["fail encryptionConfigKeyArn"]],
  ["the component, none", component, { secretsKey: "none" }, ["fail secretsKey"]],
  ["@pulumi/eks as the engine shows it", eks, {}, ["unknown encryptionConfigKeyArn"]],
  ["unknown key", aws, key(unknown), [`unknown ${path}`]],
  ["unknown block", aws, { encryptionConfig: unknown }, ["unknown encryptionConfig"]],
  ["unknown provider", aws, { encryptionConfig: { provider: unknown } }, ["unknown encryptionConfig.provider"]],
  ["unknown choice", component, { secretsKey: unknown }, ["unknown secretsKey"]],
] as const)("%s: %s", ([, type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

test("the ARN of a key in the same stack is one, though it is not known yet", () => {
  const propertyDependencies = { encryptionConfig: ["urn:pulumi:test::project::aws:kms/key:Key::key"] };
  expect(verdicts(rule, [resource(aws, key(unknown), { propertyDependencies })])).toEqual([]);
  expect(verdicts(rule, [resource(aws, key(""), { propertyDependencies })])).toEqual([`fail ${path}`]);
});

test("a cluster of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["it"] } };
  expect(verdicts(rule, [resource(aws, { version: "1.35" })], { policyConfig })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [
    resource(aws, { name: "hunter2", encryptionConfig: { provider: "hunter2" } }),
    resource(aws, key("")),
  ]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const message = (type: string, properties: Record<string, unknown>) =>
    findings(rule, [resource(type, properties)])[0]?.message;
  expect(message(aws, { version: "1.35" })).toMatchInlineSnapshot(`
    "encryptionConfig.provider.keyArn: got nothing. EKS then uses a key that AWS owns. CloudTrail does not show its use, and you cannot disable it.
    fix: set encryptionConfig.provider.keyArn to the ARN of a KMS key; you cannot remove it later without replacing the cluster"
  `);
  expect(message(component, { secretsKey: "none" })).toMatchInlineSnapshot(`
    "secretsKey: got none. EKS then uses a key that AWS owns. CloudTrail does not show its use, and you cannot disable it.
    fix: set secretsKey to "own", or to the ARN of a key"
  `);
});
