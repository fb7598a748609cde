import { allow, policyDocument, type PolicyCondition, type PolicyDocument } from "../identity/policy-document";

export interface LoadBalancerControllerPolicyArgs {
  /** `aws`, `aws-cn` or `aws-us-gov`. */
  readonly partition: string;
  readonly clusterName: string;
  /**
   * Whether the controller may put load balancers behind AWS WAF web ACLs and Shield. Neither kind of protection
   * carries the cluster's tag, so these rights reach every load balancer of the account.
   */
  readonly webProtection: boolean;
}

const ownTag = "elbv2.k8s.aws/cluster";

/**
 * What the AWS Load Balancer Controller may do: the actions of its own policy, with each write tied to the cluster's
 * name. The controller tags all it makes with that name, listeners and rules too. A target group that something else
 * made must get the tag `elbv2.k8s.aws/cluster` before a TargetGroupBinding can use it.
 *
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/v3.5.0/docs/install/iam_policy.json 2026-08-03
 */
export function loadBalancerControllerPolicy(args: LoadBalancerControllerPolicyArgs): PolicyDocument {
  return policyDocument(
    allow("MakeServiceLinkedRole", ["iam:CreateServiceLinkedRole"], "*", {
      StringEquals: { "iam:AWSServiceName": "elasticloadbalancing.amazonaws.com" },
    }),
    allow("Read", reads, "*"),
    ...securityGroupStatements(args),
    ...loadBalancerStatements(args),
    ...(args.webProtection ? [allow("ProtectLoadBalancers", webProtectionActions, "*")] : []),
  );
}

const reads = [
  ...[
    ...["AccountAttributes", "Addresses", "AvailabilityZones", "CoipPools", "Instances", "InternetGateways"],
    ...["IpamPools", "NetworkInterfaces", "RouteTables", "SecurityGroups", "Subnets", "Tags"],
    ...["VpcPeeringConnections", "Vpcs"],
  ].map((what) => `ec2:Describe${what}`),
  ...["ec2:GetCoipPoolUsage", "ec2:GetSecurityGroupsForVpc"],
  ...[
    ...["CapacityReservation", "ListenerAttributes", "ListenerCertificates", "Listeners", "LoadBalancerAttributes"],
    ...["LoadBalancers", "Rules", "SSLPolicies", "Tags", "TargetGroupAttributes", "TargetGroups", "TargetHealth"],
    "TrustStores",
  ].map((what) => `elasticloadbalancing:Describe${what}`),
  ...["acm:DescribeCertificate", "acm:ListCertificates", "cognito-idp:DescribeUserPoolClient"],
  ...["iam:GetServerCertificate", "iam:ListServerCertificates"],
];

const webProtectionActions = [
  ...["waf-regional", "wafv2"].flatMap((service) =>
    ["GetWebACL", "GetWebACLForResource", "AssociateWebACL", "DisassociateWebACL"].map((verb) => `${service}:${verb}`),
  ),
  ...["GetSubscriptionState", "DescribeProtection", "CreateProtection", "DeleteProtection"].map(
    (verb) => `shield:${verb}`,
  ),
];

/** The request gives the new resource the cluster's tag. */
function tagged(clusterName: string): Record<string, string> {
  return { [`aws:RequestTag/${ownTag}`]: clusterName };
}

/** The resource has the cluster's tag. */
function owned(clusterName: string): Record<string, string> {
  return { [`aws:ResourceTag/${ownTag}`]: clusterName };
}

/** A change of tags that leaves the cluster's own alone. */
function retagged(clusterName: string): PolicyCondition {
  return { StringEquals: owned(clusterName), Null: { [`aws:RequestTag/${ownTag}`]: "true" } };
}

/** Its own groups, and the rules of the group on the nodes, which carries the cluster's Kubernetes tag. */
function securityGroupStatements({ partition, clusterName }: LoadBalancerControllerPolicyArgs) {
  const groups = `arn:${partition}:ec2:*:*:security-group/*`;
  const ruleActions = ["ec2:AuthorizeSecurityGroupIngress", "ec2:RevokeSecurityGroupIngress"];
  return [
    allow("MakeSecurityGroups", ["ec2:CreateSecurityGroup"], groups, { StringEquals: tagged(clusterName) }),
    allow("MakeSecurityGroupsInVpcs", ["ec2:CreateSecurityGroup"], `arn:${partition}:ec2:*:*:vpc/*`),
    allow("TagNewSecurityGroups", ["ec2:CreateTags"], groups, {
      StringEquals: { "ec2:CreateAction": "CreateSecurityGroup", ...tagged(clusterName) },
    }),
    allow("RetagSecurityGroups", ["ec2:CreateTags", "ec2:DeleteTags"], groups, retagged(clusterName)),
    allow("ChangeSecurityGroups", [...ruleActions, "ec2:DeleteSecurityGroup"], groups, {
      StringEquals: owned(clusterName),
    }),
    allow("ChangeRulesOfNodes", ruleActions, groups, {
      StringEquals: { [`aws:ResourceTag/kubernetes.io/cluster/${clusterName}`]: ["owned", "shared"] },
    }),
  ];
}

const loadBalancerChanges = [
  ...["CreateListener", "DeleteLoadBalancer", "ModifyCapacityReservation", "ModifyIpPools"],
  ...["ModifyLoadBalancerAttributes", "SetIpAddressType", "SetSecurityGroups", "SetSubnets", "SetWebAcl"],
];
const listenerChanges = [
  ...["AddListenerCertificates", "CreateRule", "DeleteListener", "DeleteRule", "ModifyListener"],
  ...["ModifyListenerAttributes", "ModifyRule", "RemoveListenerCertificates", "SetRulePriorities"],
];
const targetGroupChanges = [
  ...["DeleteTargetGroup", "DeregisterTargets", "ModifyTargetGroup", "ModifyTargetGroupAttributes", "RegisterTargets"],
];

function loadBalancerStatements({ partition, clusterName }: LoadBalancerControllerPolicyArgs) {
  const elb = (verbs: readonly string[]) => verbs.map((verb) => `elasticloadbalancing:${verb}`);
  const makers = ["CreateLoadBalancer", "CreateTargetGroup"];
  const everything = [
    ...["loadbalancer/app", "loadbalancer/net", "targetgroup"],
    ...["listener/app", "listener/net", "listener-rule/app", "listener-rule/net"],
  ].map((kind) => `arn:${partition}:elasticloadbalancing:*:*:${kind}/*`);
  return [
    allow("MakeLoadBalancers", elb(makers), "*", { StringEquals: tagged(clusterName) }),
    allow("TagNewLoadBalancers", elb(["AddTags"]), everything, {
      StringEquals: {
        "elasticloadbalancing:CreateAction": [...makers, "CreateListener", "CreateRule"],
        ...tagged(clusterName),
      },
    }),
    allow("RetagLoadBalancers", elb(["AddTags", "RemoveTags"]), everything, retagged(clusterName)),
    allow("ChangeLoadBalancers", elb([...loadBalancerChanges, ...listenerChanges, ...targetGroupChanges]), "*", {
      StringEquals: owned(clusterName),
    }),
  ];
}
