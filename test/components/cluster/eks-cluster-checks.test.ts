import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import type { EksClusterArgs } from "../../../components/cluster/eks-cluster-args";
import { eksClusterDefaults } from "../../../components/cluster/eks-cluster-args";
import { clusterNameProblems, eksClusterProblems } from "../../../components/cluster/eks-cluster-checks";
import { InputError } from "../../../components/core/problems";

const stated: EksClusterArgs = {
  clusterName: "myeks",
  vpcId: "vpc-1",
  subnetIds: ["subnet-1", "subnet-2"],
  publicAccessCidrs: ["198.51.100.7/32"],
  admins: [],
};
const problems = (args: Record<string, unknown>, at?: string) => eksClusterProblems({ ...stated, ...args }, at);
const keyArn = "arn:aws:kms:ap-northeast-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef";

test.for([
  ["what must be stated, alone", {}],
  ["every default, stated", eksClusterDefaults],
  ["undefined for what has a default", { kubernetesVersion: undefined, secretsKey: undefined, tags: undefined }],
  ["ids that are known later", { vpcId: pulumi.output("vpc-1"), subnetIds: [pulumi.output("a"), pulumi.output("b")] }],
  ["the longest name", { clusterName: "a".repeat(26) }],
  ["all logs", { controlPlaneLogs: ["api", "audit", "authenticator", "controllerManager", "scheduler"] }],
  ["no logs", { controlPlaneLogs: [] }],
  ["ten years of logs", { logRetentionDays: 3653 }],
  ["no key", { secretsKey: "none" }],
  ["an existing key", { secretsKey: keyArn }],
  ["a multi-region key", { secretsKey: keyArn.replace(/key\/.*/, "key/mrk-0123456789abcdef0123456789abcdef") }],
  ["a profile and a role", { credentials: { profile: "lab", roleArn: "arn:aws:iam::123456789012:role/deployer" } }],
  ["a role that is known later", { credentials: { roleArn: pulumi.output("arn") } }],
] as const)("fine: %s", ([, args]) => expect(problems(args)).toEqual([]));

test.for([
  ["no name", { clusterName: undefined }, "missing", "clusterName"],
  ["an empty name", { clusterName: "" }, "not-allowed", "clusterName"],
  ["a name that begins with a hyphen", { clusterName: "-lab" }, "not-allowed", "clusterName"],
  ["a name with a dot", { clusterName: "my.eks" }, "not-allowed", "clusterName"],
  ["a name that EC2 takes for a group's id", { clusterName: "sg-lab" }, "not-allowed", "clusterName"],
  ["a name too long for IAM", { clusterName: "a".repeat(27) }, "out-of-range", "clusterName"],
  ["a number for a name", { clusterName: 7 }, "wrong-type", "clusterName"],
  ["an Output for a name", { clusterName: pulumi.output("myeks") }, "wrong-type", "clusterName"],
  ["an old minor", { kubernetesVersion: "1.31" }, "version", "kubernetesVersion"],
  ["a minor without quotes", { kubernetesVersion: 1.35 }, "wrong-type", "kubernetesVersion"],
  ["no VPC", { vpcId: undefined }, "missing", "vpcId"],
  ["no subnets", { subnetIds: undefined }, "missing", "subnetIds"],
  ["a text for subnets", { subnetIds: "subnet-1" }, "wrong-type", "subnetIds"],
  ["an Output for subnets", { subnetIds: pulumi.output(["a", "b"]) }, "wrong-type", "subnetIds"],
  ["one subnet", { subnetIds: ["subnet-1"] }, "out-of-range", "subnetIds"],
  ["the internet", { publicAccessCidrs: ["0.0.0.0/0"] }, "not-allowed", "publicAccessCidrs[0]"],
  ["no word about admins", { admins: undefined }, "missing", "admins"],
  ["an unknown log", { controlPlaneLogs: ["audits"] }, "not-allowed", "controlPlaneLogs[0]"],
  ["a log twice", { controlPlaneLogs: ["api", "api"] }, "conflict", "controlPlaneLogs[1]"],
  ["a text for logs", { controlPlaneLogs: "api" }, "wrong-type", "controlPlaneLogs"],
  ["a period CloudWatch does not know", { logRetentionDays: 10 }, "not-allowed", "logRetentionDays"],
  ["logs for ever", { logRetentionDays: 0 }, "not-allowed", "logRetentionDays"],
  ["logs for longer than there is", { logRetentionDays: 4000 }, "not-allowed", "logRetentionDays"],
  ["a text for days", { logRetentionDays: "7" }, "wrong-type", "logRetentionDays"],
  ["no number", { logRetentionDays: NaN }, "wrong-type", "logRetentionDays"],
  ["an alias for the key", { secretsKey: keyArn.replace(/key\/.*/, "alias/lab") }, "not-allowed", "secretsKey"],
  ["a key id for the key", { secretsKey: "01234567-89ab-cdef-0123-456789abcdef" }, "not-allowed", "secretsKey"],
  ["true for the key", { secretsKey: true }, "wrong-type", "secretsKey"],
  ["a text for true", { deletionProtection: "true" }, "wrong-type", "deletionProtection"],
  ["a text for credentials", { credentials: "lab" }, "wrong-type", "credentials"],
  ["an empty profile", { credentials: { profile: "" } }, "not-allowed", "credentials.profile"],
  ["a misspelt key", { adminss: [] }, "unknown-key", "adminss"],
  ["a key of the credentials that is none", { credentials: { role: "x" } }, "unknown-key", "credentials.role"],
  ["credentials that come too late", { credentials: pulumi.output({ profile: "lab" }) }, "wrong-type", "credentials"],
  ["an Output for logs", { controlPlaneLogs: pulumi.output(["api"]) }, "wrong-type", "controlPlaneLogs"],
  ["an Output for days", { logRetentionDays: pulumi.output(7) }, "wrong-type", "logRetentionDays"],
  ["an Output for the key", { secretsKey: pulumi.output(keyArn) }, "wrong-type", "secretsKey"],
  ["a tag AWS keeps for itself", { tags: { "aws:team": "x" } }, "not-allowed", "tags.aws:team"],
  ["a number for a tag", { tags: { team: 1 } }, "wrong-type", "tags"],
  ["a name for a role", { credentials: { roleArn: "deployer" } }, "not-allowed", "credentials.roleArn"],
] as const)("refused: %s", ([, args, code, path]) => {
  expect(problems(args).map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
  expect(problems(args, "cluster").map((problem) => problem.path)).toEqual([`cluster.${path}`]);
});

test.for([undefined, null, "myeks", []])("arguments that are no object are refused: %j", (args) => {
  expect(eksClusterProblems(args as never).map(({ code, path }) => [code, path])).toEqual([["wrong-type", "args"]]);
  expect(eksClusterProblems(args as never, "cluster")[0]?.path).toBe("cluster");
});

test("every problem is told at once, in the order of the arguments", () => {
  const all = eksClusterProblems({ kubernetesVersion: "1.31", logRetentionDays: 10 } as EksClusterArgs);
  expect(all.map(({ path }) => path)).toEqual([
    "clusterName",
    "kubernetesVersion",
    "vpcId",
    "subnetIds",
    "publicAccessCidrs",
    "admins",
    "logRetentionDays",
  ]);
});

test("the messages say what to do", () => {
  const message = new InputError(
    'EksCluster "cluster"',
    problems({
      clusterName: "a-cluster-with-a-very-long-name",
      controlPlaneLogs: ["audits", "api", "api"],
      logRetentionDays: 10,
      secretsKey: keyArn.replace(/key\/.*/, "alias/lab"),
    }),
  ).message;
  expect(message).toMatchInlineSnapshot(`
    "EksCluster "cluster": 5 problems in the input
      clusterName: got "a-cluster-with-a-very-long-name". It has 31 characters. IAM role names begin with it, their prefix may have 38, and 12 are for the role.
        fix: shorten clusterName to 26 characters or fewer
      controlPlaneLogs[0]: got "audits". It must be one of "api", "audit", "authenticator", "controllerManager", "scheduler".
        fix: set controlPlaneLogs[0] to one of "api", "audit", "authenticator", "controllerManager", "scheduler"
      controlPlaneLogs[2]: got "api". It is controlPlaneLogs[1] again.
        fix: remove controlPlaneLogs[2]
      logRetentionDays: got 10. CloudWatch Logs knows these periods only: 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653 days.
        fix: set logRetentionDays to 14
      secretsKey: got "arn:aws:kms:ap-northeast-2:123456789012:alias/lab". It is an alias, and IAM grants rights on the key's own ARN.
        fix: set secretsKey to what this prints: aws kms describe-key --key-id alias/lab --query KeyMetadata.Arn"
  `);
});

describe("a cluster's name", () => {
  test("is checked alone as well", () => {
    expect(clusterNameProblems("clusterName", "myeks")).toEqual([]);
    expect(clusterNameProblems("lab.clusterName", "my eks")).toMatchObject([{ path: "lab.clusterName" }]);
  });
});
