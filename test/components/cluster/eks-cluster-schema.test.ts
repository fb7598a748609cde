import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import {
  eksClusterDefaults,
  eksClusterProblems,
  type EksClusterArgs,
} from "../../../components/cluster/eks-cluster-schema";
import { wording } from "../../support/wording";

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
  ["the required arguments", {}],
  ["every default", eksClusterDefaults],
  ["undefined for arguments with a default", { kubernetesVersion: undefined, secretsKey: undefined, tags: undefined }],
  ["Outputs for ids", { vpcId: pulumi.output("vpc-1"), subnetIds: [pulumi.output("a"), pulumi.output("b")] }],
  ["an Output for the list of subnets", { subnetIds: pulumi.output(["a", "b"]) }],
  ["the longest name", { clusterName: "a".repeat(26) }],
  ["all logs", { controlPlaneLogs: ["api", "audit", "authenticator", "controllerManager", "scheduler"] }],
  ["no logs", { controlPlaneLogs: [] }],
  ["ten years of logs", { logRetentionDays: 3653 }],
  ["no key", { secretsKey: "none" }],
  ["an existing key", { secretsKey: keyArn }],
  ["a multi-region key", { secretsKey: keyArn.replace(/key\/.*/, "key/mrk-0123456789abcdef0123456789abcdef") }],
  ["a profile and a role", { credentials: { profile: "lab", roleArn: "arn:aws:iam::123456789012:role/deployer" } }],
  ["an Output for a role", { credentials: { roleArn: pulumi.output("arn") } }],
] as const)("accepted: %s", ([, args]) => expect(problems(args)).toEqual([]));

const wrong = [
  ["no name", { clusterName: undefined }, "missing", "clusterName"],
  ["an empty name", { clusterName: "" }, "not-allowed", "clusterName"],
  ["a name that begins with a hyphen", { clusterName: "-lab" }, "not-allowed", "clusterName"],
  ["a name with a dot", { clusterName: "my.eks" }, "not-allowed", "clusterName"],
  ["a name that looks like a group id", { clusterName: "sg-lab" }, "not-allowed", "clusterName"],
  ["a name too long for IAM", { clusterName: "a".repeat(27) }, "out-of-range", "clusterName"],
  ["a number for a name", { clusterName: 7 }, "wrong-type", "clusterName"],
  ["an Output for a name", { clusterName: pulumi.output("myeks") }, "wrong-type", "clusterName"],
  ["an old minor", { kubernetesVersion: "1.31" }, "version", "kubernetesVersion"],
  ["a minor without quotes", { kubernetesVersion: 1.35 }, "wrong-type", "kubernetesVersion"],
  ["no VPC", { vpcId: undefined }, "missing", "vpcId"],
  ["no subnets", { subnetIds: undefined }, "missing", "subnetIds"],
  ["a string for subnets", { subnetIds: "subnet-1" }, "wrong-type", "subnetIds"],
  ["one subnet", { subnetIds: ["subnet-1"] }, "out-of-range", "subnetIds"],
  ["the internet", { publicAccessCidrs: ["0.0.0.0/0"] }, "not-allowed", "publicAccessCidrs[0]"],
  ["no admins", { admins: undefined }, "missing", "admins"],
  ["an unknown log", { controlPlaneLogs: ["audits"] }, "not-allowed", "controlPlaneLogs[0]"],
  ["a log twice", { controlPlaneLogs: ["api", "api"] }, "conflict", "controlPlaneLogs[1]"],
  ["a string for logs", { controlPlaneLogs: "api" }, "wrong-type", "controlPlaneLogs"],
  ["a period that CloudWatch rejects", { logRetentionDays: 10 }, "not-allowed", "logRetentionDays"],
  ["logs without an end", { logRetentionDays: 0 }, "not-allowed", "logRetentionDays"],
  ["a period that is too long", { logRetentionDays: 4000 }, "not-allowed", "logRetentionDays"],
  ["a string for days", { logRetentionDays: "7" }, "wrong-type", "logRetentionDays"],
  ["NaN", { logRetentionDays: NaN }, "wrong-type", "logRetentionDays"],
  ["an alias for the key", { secretsKey: keyArn.replace(/key\/.*/, "alias/lab") }, "not-allowed", "secretsKey"],
  ["a key id for the key", { secretsKey: "01234567-89ab-cdef-0123-456789abcdef" }, "not-allowed", "secretsKey"],
  ["true for the key", { secretsKey: true }, "wrong-type", "secretsKey"],
  ["a string for true", { deletionProtection: "true" }, "wrong-type", "deletionProtection"],
  ["a string for credentials", { credentials: "lab" }, "wrong-type", "credentials"],
  ["an empty profile", { credentials: { profile: "" } }, "not-allowed", "credentials.profile"],
  ["a misspelt key", { adminss: [] }, "unknown-key", "adminss"],
  ["an unknown key of the credentials", { credentials: { role: "x" } }, "unknown-key", "credentials.role"],
  ["an Output for credentials", { credentials: pulumi.output({ profile: "lab" }) }, "wrong-type", "credentials"],
  ["an Output for logs", { controlPlaneLogs: pulumi.output(["api"]) }, "wrong-type", "controlPlaneLogs"],
  ["an Output for days", { logRetentionDays: pulumi.output(7) }, "wrong-type", "logRetentionDays"],
  ["an Output for the key", { secretsKey: pulumi.output(keyArn) }, "wrong-type", "secretsKey"],
  ["a reserved tag", { tags: { "aws:team": "x" } }, "not-allowed", "tags.aws:team"],
  ["a number for a tag", { tags: { team: 1 } }, "wrong-type", "tags.team"],
  ["a name for a role", { credentials: { roleArn: "deployer" } }, "not-allowed", "credentials.roleArn"],
] as const;

test.for(wrong)("rejected: %s", ([, args, code, path]) => {
  expect(problems(args).map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
  expect(problems(args, "cluster").map((problem) => problem.path)).toEqual([`cluster.${path}`]);
});

test("every problem is reported at once, in the order of the arguments", () => {
  const all = eksClusterProblems({ kubernetesVersion: "1.31", logRetentionDays: 10 } as EksClusterArgs);
  expect(all.map(({ path }) => path)).toEqual([
    "clusterName",
    "kubernetesVersion",
    "publicAccessCidrs",
    "admins",
    "logRetentionDays",
    "vpcId",
    "subnetIds",
  ]);
});

test("the messages have the paths of the configuration", () => {
  expect(wording(wrong.flatMap(([, args]) => problems(args, "cluster")))).toMatchSnapshot();
});
