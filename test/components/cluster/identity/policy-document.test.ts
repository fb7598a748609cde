import { expect, test } from "vitest";
import {
  allow,
  iamNamePrefix,
  policyDocument,
  policySize,
  trust,
} from "../../../../components/cluster/identity/policy-document";
import { secretsKeyPolicy } from "../../../../components/cluster/secrets-key";

test("a statement without a condition has no such key, which IAM would refuse", () => {
  expect(policyDocument(allow("Read", ["s3:GetObject"], "*"))).toEqual({
    Version: "2012-10-17",
    Statement: [{ Sid: "Read", Effect: "Allow", Action: ["s3:GetObject"], Resource: "*" }],
  });
  expect(trust("Trust", "eks.amazonaws.com").Statement[0]).not.toHaveProperty("Condition");
});

test("a condition is part of its statement", () => {
  const condition = { StringEquals: { "aws:SourceAccount": "123456789012" } };
  expect(allow("Read", ["s3:GetObject"], "*", condition).Condition).toEqual(condition);
  expect(trust("Trust", "eks.amazonaws.com", condition).Statement[0]?.Condition).toEqual(condition);
});

test("IAM counts no white space", () => {
  const policy = policyDocument(allow("Read", ["s3:Get Object"], "*"));
  expect(policySize(policy)).toBe(JSON.stringify(policy).length - 1);
});

test.for([
  ["myeks", "cluster", "myeks-cluster-"],
  ["a".repeat(26), "cluster", `${"a".repeat(26)}-cluster-`],
  ["gpu-lab-2", "aws-load-balancer-controller", "gpu-lab-2-aws-load-balancer-controlle-"],
] as const)("the name prefix of %s and %s is within IAM's 38 characters", ([cluster, role, prefix]) => {
  expect(iamNamePrefix(cluster, role)).toBe(prefix);
  expect(prefix.length).toBeLessThanOrEqual(38);
});

test("the key's policy lets IAM decide, and the cluster's role use the key and not administer it", () => {
  expect(secretsKeyPolicy("arn:root", "arn:role")).toEqual({
    Version: "2012-10-17",
    Statement: [
      { Sid: "AccountDecides", Effect: "Allow", Principal: { AWS: "arn:root" }, Action: ["kms:*"], Resource: "*" },
      {
        Sid: "ClusterUsesKey",
        Effect: "Allow",
        Principal: { AWS: "arn:role" },
        Action: ["kms:Encrypt", "kms:Decrypt", "kms:ListGrants", "kms:DescribeKey"],
        Resource: "*",
      },
    ],
  });
});
