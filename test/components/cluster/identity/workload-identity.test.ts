import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { allow, policyDocument } from "../../../../components/cluster/identity/policy-document";
import {
  WorkloadIdentity,
  workloadIdentityProblems,
  type WorkloadIdentityArgs,
} from "../../../../components/cluster/identity/workload-identity";
import { unknownSentinel } from "../../../../components/core/wire";
import { byName, only, plan } from "../../../support/plan";

const policy = policyDocument(allow("Read", ["s3:GetObject"], "*"));
const stated: WorkloadIdentityArgs = { clusterName: "myeks", namespace: "default", serviceAccount: "trainer", policy };
const planned = (args: Partial<WorkloadIdentityArgs> = {}) =>
  plan(() => {
    const { roleArn, roleName } = new WorkloadIdentity("identity", { ...stated, ...args });
    return { roleArn, roleName };
  });
const problems = (args: Record<string, unknown>, at?: string) => workloadIdentityProblems({ ...stated, ...args }, at);

test("the role can be taken on by the pods of this service account in this cluster alone", async () => {
  const recording = await planned();
  const { inputs } = only(recording, "aws:iam/role:Role");
  expect({ ...inputs, assumeRolePolicy: JSON.parse(inputs["assumeRolePolicy"] as string) as object }).toEqual({
    namePrefix: "myeks-trainer-",
    description: "Pods of default/trainer in the EKS cluster myeks",
    assumeRolePolicy: {
      Version: "2012-10-17",
      Statement: [
        {
          Sid: "AllowEksAuthToAssumeRoleForPodIdentity",
          Effect: "Allow",
          Principal: { Service: "pods.eks.amazonaws.com" },
          Action: ["sts:AssumeRole", "sts:TagSession"],
          Condition: {
            StringEquals: {
              "aws:RequestTag/eks-cluster-name": "myeks",
              "aws:RequestTag/kubernetes-namespace": "default",
              "aws:RequestTag/kubernetes-service-account": "trainer",
            },
          },
        },
      ],
    },
    forceDetachPolicies: true,
    tags: { Name: "myeks-trainer" },
  });
});

test("policy and association belong to the role", async () => {
  const recording = await planned();
  const role = only(recording, "aws:iam/role:Role");
  const rolePolicy = byName(recording, "identity-policy");
  const association = byName(recording, "identity-association");
  expect(rolePolicy.inputs).toEqual({ role: unknownSentinel, policy: JSON.stringify(policy) });
  expect(association.inputs).toEqual({
    clusterName: "myeks",
    namespace: "default",
    serviceAccount: "trainer",
    roleArn: unknownSentinel,
    tags: {},
  });
  expect(rolePolicy.propertyDependencies["role"]).toEqual([role.urn]);
  expect(association.propertyDependencies["roleArn"]).toEqual([role.urn]);
  expect(recording.outputs).toEqual({ roleArn: unknownSentinel, roleName: unknownSentinel });
});

test("cluster name and policy may be known later", async () => {
  const recording = await planned({ clusterName: pulumi.output("later"), policy: pulumi.output(policy) });
  expect(only(recording, "aws:iam/role:Role").inputs["namePrefix"]).toBe("later-trainer-");
  expect(byName(recording, "identity-policy").inputs["policy"]).toBe(JSON.stringify(policy));
});

const wrong = [
  ["a namespace in capitals", { namespace: "Default" }, "not-allowed", "namespace"],
  ["a namespace too long", { namespace: "a".repeat(64) }, "not-allowed", "namespace"],
  ["no namespace", { namespace: undefined }, "missing", "namespace"],
  ["a service account with a slash", { serviceAccount: "default/trainer" }, "not-allowed", "serviceAccount"],
  ["no service account", { serviceAccount: "" }, "not-allowed", "serviceAccount"],
  ["a misspelt key", { serviceaccount: "a" }, "unknown-key", "serviceaccount"],
  ["a reserved tag", { tags: { "aws:team": "x" } }, "not-allowed", "tags.aws:team"],
  ["no policy", { policy: undefined }, "missing", "policy"],
  ["a policy as JSON", { policy: JSON.stringify(policy) }, "wrong-type", "policy"],
  ["a policy without statements", { policy: { Version: "2012-10-17", Statement: [] } }, "wrong-type", "policy"],
  [
    "a policy too large for IAM",
    { policy: policyDocument(allow("Read", Array<string>(800).fill("s3:GetObject"), "*")) },
    "out-of-range",
    "policy",
  ],
] as const;

test.for(wrong)("rejected: %s", ([, args, code, path]) => {
  expect(problems(args).map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
  expect(problems(args, "identity").map((problem) => problem.path)).toEqual([`identity.${path}`]);
});

test("the messages", () => {
  const found = wrong.flatMap(([, args]) => problems(args));
  expect(found.map(({ path, why, fix }) => `${path}: ${why} | ${fix}`)).toMatchSnapshot();
});

test.for(["system.serviceaccount", "a", "0"])("a service account may be called %s", (serviceAccount) =>
  expect(problems({ serviceAccount })).toEqual([]),
);
