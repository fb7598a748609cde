import { describe, expect, test } from "vitest";
import { clusterAutoscalerPolicy } from "../../../../components/cluster/controllers/cluster-autoscaler";
import { externalDnsPolicy } from "../../../../components/cluster/controllers/external-dns-identity";
import { inlinePolicyLimit, policySize } from "../../../../components/cluster/identity/policy-document";
import { unscopedWrites } from "./statements";

describe("the Cluster Autoscaler", () => {
  const policy = clusterAutoscalerPolicy({
    partition: "aws",
    region: "ap-northeast-2",
    accountId: "123456789012",
    clusterName: "gpu-lab",
  });

  test("reads all, sees its own node groups, and resizes its own Auto Scaling groups", () => {
    expect(policy).toEqual({
      Version: "2012-10-17",
      Statement: [
        {
          Sid: "Read",
          Effect: "Allow",
          Action: [
            "autoscaling:DescribeAutoScalingGroups",
            "autoscaling:DescribeAutoScalingInstances",
            "autoscaling:DescribeLaunchConfigurations",
            "autoscaling:DescribeScalingActivities",
            "autoscaling:DescribeTags",
            "ec2:DescribeImages",
            "ec2:DescribeInstanceTypes",
            "ec2:DescribeLaunchTemplateVersions",
            "ec2:GetInstanceTypesFromInstanceRequirements",
          ],
          Resource: "*",
        },
        {
          Sid: "ReadNodeGroups",
          Effect: "Allow",
          Action: ["eks:DescribeNodegroup"],
          Resource: "arn:aws:eks:ap-northeast-2:123456789012:nodegroup/gpu-lab/*/*",
        },
        {
          Sid: "ScaleOwnGroups",
          Effect: "Allow",
          Action: ["autoscaling:SetDesiredCapacity", "autoscaling:TerminateInstanceInAutoScalingGroup"],
          Resource: "arn:aws:autoscaling:ap-northeast-2:123456789012:autoScalingGroup:*:autoScalingGroupName/*",
          Condition: { StringEquals: { "aws:ResourceTag/k8s.io/cluster-autoscaler/gpu-lab": "owned" } },
        },
      ],
    });
    expect(unscopedWrites(policy, "gpu-lab")).toEqual([]);
    expect(policySize(policy)).toBeLessThan(inlinePolicyLimit);
  });

  test("has China's ARNs in China", () => {
    const china = { partition: "aws-cn", region: "cn-north-1", accountId: "123456789012", clusterName: "gpu-lab" };
    expect(JSON.stringify(clusterAutoscalerPolicy(china))).not.toContain("arn:aws:");
  });
});

describe("ExternalDNS", () => {
  const read = {
    Sid: "Read",
    Effect: "Allow",
    Action: [
      "route53:ListHostedZones",
      "route53:ListResourceRecordSets",
      "route53:ListTagsForResource",
      "route53:ListTagsForResources",
    ],
    Resource: "*",
  };

  test.for([
    ["no zone", [], undefined],
    ["named zones", ["Z1", "Z2"], ["arn:aws:route53:::hostedzone/Z1", "arn:aws:route53:::hostedzone/Z2"]],
    ["all zones", "all", ["arn:aws:route53:::hostedzone/*"]],
  ] as const)("%s", ([, hostedZoneIds, zones]) => {
    const change = {
      Sid: "ChangeRecords",
      Effect: "Allow",
      Action: ["route53:ChangeResourceRecordSets"],
      Resource: zones,
    };
    expect(externalDnsPolicy({ partition: "aws", hostedZoneIds })).toEqual({
      Version: "2012-10-17",
      Statement: zones ? [read, change] : [read],
    });
  });

  test("has China's ARNs in China", () => {
    expect(JSON.stringify(externalDnsPolicy({ partition: "aws-cn", hostedZoneIds: "all" }))).toContain(
      "arn:aws-cn:route53:::hostedzone/*",
    );
  });
});
