import { describe, expect, test } from "vitest";
import { loadBalancerControllerPolicy } from "../../../../components/cluster/controllers/load-balancer-controller-policy";
import { inlinePolicyLimit, policySize } from "../../../../components/cluster/identity/policy-document";
import { actionsOf, statement, unscopedWrites } from "./statements";

const args = { partition: "aws", clusterName: "gpu-lab", webProtection: false };
const policy = loadBalancerControllerPolicy(args);
const everything = loadBalancerControllerPolicy({ ...args, webProtection: true });
const elb = (kind: string) => `arn:aws:elasticloadbalancing:*:*:${kind}/*`;
const everyKind = [
  ...["loadbalancer/app", "loadbalancer/net", "targetgroup"],
  ...["listener/app", "listener/net", "listener-rule/app", "listener-rule/net"],
].map(elb);
const groups = "arn:aws:ec2:*:*:security-group/*";

/**
 * The actions of the controller's own policy.
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/v3.5.0/docs/install/iam_policy.json
 */
const upstream = {
  "iam:": ["CreateServiceLinkedRole", "ListServerCertificates", "GetServerCertificate"],
  "ec2:": [
    ...["DescribeAccountAttributes", "DescribeAddresses", "DescribeAvailabilityZones", "DescribeInternetGateways"],
    ...["DescribeVpcs", "DescribeVpcPeeringConnections", "DescribeSubnets", "DescribeSecurityGroups"],
    ...["DescribeInstances", "DescribeNetworkInterfaces", "DescribeTags", "GetCoipPoolUsage", "DescribeCoipPools"],
    ...["GetSecurityGroupsForVpc", "DescribeIpamPools", "DescribeRouteTables", "AuthorizeSecurityGroupIngress"],
    ...["RevokeSecurityGroupIngress", "CreateSecurityGroup", "CreateTags", "DeleteTags", "DeleteSecurityGroup"],
  ],
  "elasticloadbalancing:": [
    ...["DescribeLoadBalancers", "DescribeLoadBalancerAttributes", "DescribeListeners", "DescribeListenerCertificates"],
    ...["DescribeSSLPolicies", "DescribeRules", "DescribeTargetGroups", "DescribeTargetGroupAttributes"],
    ...["DescribeTargetHealth", "DescribeTags", "DescribeTrustStores", "DescribeListenerAttributes"],
    ...["DescribeCapacityReservation", "CreateLoadBalancer", "CreateTargetGroup", "CreateListener", "DeleteListener"],
    ...["CreateRule", "DeleteRule", "AddTags", "RemoveTags", "ModifyLoadBalancerAttributes", "SetIpAddressType"],
    ...["SetSecurityGroups", "SetSubnets", "DeleteLoadBalancer", "ModifyTargetGroup", "ModifyTargetGroupAttributes"],
    ...["DeleteTargetGroup", "ModifyListenerAttributes", "ModifyCapacityReservation", "ModifyIpPools"],
    ...["RegisterTargets", "DeregisterTargets", "SetWebAcl", "ModifyListener", "AddListenerCertificates"],
    ...["RemoveListenerCertificates", "ModifyRule", "SetRulePriorities"],
  ],
  "acm:": ["ListCertificates", "DescribeCertificate"],
  "cognito-idp:": ["DescribeUserPoolClient"],
};
const protection = {
  "waf-regional:": ["GetWebACL", "GetWebACLForResource", "AssociateWebACL", "DisassociateWebACL"],
  "wafv2:": ["GetWebACL", "GetWebACLForResource", "AssociateWebACL", "DisassociateWebACL"],
  "shield:": ["GetSubscriptionState", "DescribeProtection", "CreateProtection", "DeleteProtection"],
};
const full = (services: Record<string, string[]>) =>
  Object.entries(services).flatMap(([service, verbs]) => verbs.map((verb) => service + verb));

test("it allows exactly the controller's own actions, those for WAF and Shield only when asked", () => {
  expect(actionsOf(policy)).toEqual(full(upstream).sort());
  expect(actionsOf(everything)).toEqual([...full(upstream), ...full(protection)].sort());
});

test("every write names the cluster, except where AWS leaves no way to", () => {
  const exceptions = [
    "MakeServiceLinkedRole iam:CreateServiceLinkedRole",
    "MakeSecurityGroupsInVpcs ec2:CreateSecurityGroup",
  ];
  expect(unscopedWrites(policy, "gpu-lab")).toEqual(exceptions);
  expect(unscopedWrites(everything, "gpu-lab")).toEqual([
    ...exceptions,
    "ProtectLoadBalancers waf-regional:AssociateWebACL",
    "ProtectLoadBalancers waf-regional:DisassociateWebACL",
    "ProtectLoadBalancers wafv2:AssociateWebACL",
    "ProtectLoadBalancers wafv2:DisassociateWebACL",
    "ProtectLoadBalancers shield:CreateProtection",
    "ProtectLoadBalancers shield:DeleteProtection",
  ]);
});

test("it fits into a role, with the longest name a cluster can have", () => {
  const longest = loadBalancerControllerPolicy({
    partition: "aws-us-gov",
    clusterName: "a".repeat(26),
    webProtection: true,
  });
  expect(policySize(longest)).toBeLessThan(inlinePolicyLimit);
});

describe("statement by statement", () => {
  const owned = { "aws:ResourceTag/elbv2.k8s.aws/cluster": "gpu-lab" };
  const tagged = { "aws:RequestTag/elbv2.k8s.aws/cluster": "gpu-lab" };
  const retagged = { StringEquals: owned, Null: { "aws:RequestTag/elbv2.k8s.aws/cluster": "true" } };

  test.for([
    ["MakeServiceLinkedRole", "*", { StringEquals: { "iam:AWSServiceName": "elasticloadbalancing.amazonaws.com" } }],
    ["Read", "*", undefined],
    ["MakeSecurityGroups", groups, { StringEquals: tagged }],
    ["MakeSecurityGroupsInVpcs", "arn:aws:ec2:*:*:vpc/*", undefined],
    ["TagNewSecurityGroups", groups, { StringEquals: { "ec2:CreateAction": "CreateSecurityGroup", ...tagged } }],
    ["RetagSecurityGroups", groups, retagged],
    ["ChangeSecurityGroups", groups, { StringEquals: owned }],
    [
      "ChangeRulesOfNodes",
      groups,
      { StringEquals: { "aws:ResourceTag/kubernetes.io/cluster/gpu-lab": ["owned", "shared"] } },
    ],
    ["MakeLoadBalancers", "*", { StringEquals: tagged }],
    [
      "TagNewLoadBalancers",
      everyKind,
      {
        StringEquals: {
          "elasticloadbalancing:CreateAction": [
            ...["CreateLoadBalancer", "CreateTargetGroup", "CreateListener", "CreateRule"],
          ],
          ...tagged,
        },
      },
    ],
    ["RetagLoadBalancers", everyKind, retagged],
    ["ChangeLoadBalancers", "*", { StringEquals: owned }],
  ] as const)("%s", ([sid, resource, condition]) => {
    const { Resource, Condition } = statement(policy, sid);
    expect(Resource).toEqual(resource);
    expect(Condition).toEqual(condition);
  });

  test("there are no more than these", () => expect(policy.Statement).toHaveLength(12));

  test("nodes' groups get and lose rules, and are never deleted or tagged", () => {
    expect(statement(policy, "ChangeRulesOfNodes").Action).toEqual([
      "ec2:AuthorizeSecurityGroupIngress",
      "ec2:RevokeSecurityGroupIngress",
    ]);
  });

  test("reading changes nothing", () => {
    for (const action of statement(policy, "Read").Action) expect(action).toMatch(/:(Describe|Get|List)/);
  });
});

test("in China the ARNs are China's", () => {
  const china = JSON.stringify(loadBalancerControllerPolicy({ ...args, partition: "aws-cn" }));
  expect(china).toContain('"arn:aws-cn:ec2:*:*:security-group/*"');
  expect(china).not.toContain("arn:aws:");
});
