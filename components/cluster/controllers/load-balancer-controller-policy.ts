import upstream from "../../vendor/load-balancer-controller-actions.json";
import { allow, policyDocument, type PolicyCondition, type PolicyDocument } from "../identity/policy-document";

interface LoadBalancerControllerPolicyArgs {
  /** `aws`, `aws-cn` or `aws-us-gov`. */
  readonly partition: string;
  readonly clusterName: string;
  /**
   * Whether the controller may protect load balancers with AWS WAF web ACLs and Shield. These resources do not have the
   * cluster's tag, so the permissions apply to every load balancer of the account.
   */
  readonly webProtection: boolean;
}

const ownTag = "elbv2.k8s.aws/cluster";

/** The actions of the controller's upstream policy, by the statement that allows them here. */
const { actions } = upstream;

/**
 * The permissions of the AWS Load Balancer Controller: the actions of its upstream policy, with each write limited to
 * one cluster.
 *
 * The upstream policy accepts any cluster's tag, and limits neither rules of security groups nor listeners and their
 * rules. Here each write names the cluster: the new or changed resource has the tag `elbv2.k8s.aws/cluster` with its
 * name, which the controller sets on everything that it creates. Actions on WAF and Shield are optional.
 *
 * A target group that another tool created needs this tag before a TargetGroupBinding can use it.
 *
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/v3.5.0/docs/install/iam_policy.json 2026-08-03
 */
export function loadBalancerControllerPolicy(args: LoadBalancerControllerPolicyArgs): PolicyDocument {
  return policyDocument(
    allow("MakeServiceLinkedRole", actions.MakeServiceLinkedRole, "*", {
      StringEquals: { "iam:AWSServiceName": "elasticloadbalancing.amazonaws.com" },
    }),
    allow("Read", actions.Read, "*"),
    ...securityGroupStatements(args),
    ...loadBalancerStatements(args),
    ...(args.webProtection ? [allow("ProtectLoadBalancers", actions.ProtectLoadBalancers, "*")] : []),
  );
}

/** The request sets the cluster's tag on the new resource. */
function tagged(clusterName: string): Record<string, string> {
  return { [`aws:RequestTag/${ownTag}`]: clusterName };
}

/** The resource has the cluster's tag. */
function owned(clusterName: string): Record<string, string> {
  return { [`aws:ResourceTag/${ownTag}`]: clusterName };
}

/** The request changes tags, but not the cluster's tag. */
function retagged(clusterName: string): PolicyCondition {
  return { StringEquals: owned(clusterName), Null: { [`aws:RequestTag/${ownTag}`]: "true" } };
}

/** The controller's own groups, and the rules of the nodes' group, which has the cluster's Kubernetes tag. */
function securityGroupStatements({ partition, clusterName }: LoadBalancerControllerPolicyArgs) {
  const groups = `arn:${partition}:ec2:*:*:security-group/*`;
  return [
    allow("MakeSecurityGroups", actions.MakeSecurityGroups, groups, { StringEquals: tagged(clusterName) }),
    // EC2 also authorizes the call on the VPC, which has no tag in the request.
    allow("MakeSecurityGroupsInVpcs", actions.MakeSecurityGroupsInVpcs, `arn:${partition}:ec2:*:*:vpc/*`),
    allow("TagNewSecurityGroups", actions.TagNewSecurityGroups, groups, {
      StringEquals: { "ec2:CreateAction": "CreateSecurityGroup", ...tagged(clusterName) },
    }),
    allow("RetagSecurityGroups", actions.RetagSecurityGroups, groups, retagged(clusterName)),
    allow("ChangeSecurityGroups", actions.ChangeSecurityGroups, groups, { StringEquals: owned(clusterName) }),
    allow("ChangeRulesOfNodes", actions.ChangeRulesOfNodes, groups, {
      StringEquals: { [`aws:ResourceTag/kubernetes.io/cluster/${clusterName}`]: ["owned", "shared"] },
    }),
  ];
}

function loadBalancerStatements({ partition, clusterName }: LoadBalancerControllerPolicyArgs) {
  const everyKind = [
    ...["loadbalancer/app", "loadbalancer/net", "targetgroup"],
    ...["listener/app", "listener/net", "listener-rule/app", "listener-rule/net"],
  ].map((kind) => `arn:${partition}:elasticloadbalancing:*:*:${kind}/*`);
  return [
    allow("MakeLoadBalancers", actions.MakeLoadBalancers, "*", { StringEquals: tagged(clusterName) }),
    allow("TagNewLoadBalancers", actions.TagNewLoadBalancers, everyKind, {
      StringEquals: {
        "elasticloadbalancing:CreateAction": [
          "CreateLoadBalancer",
          "CreateTargetGroup",
          "CreateListener",
          "CreateRule",
        ],
        ...tagged(clusterName),
      },
    }),
    allow("RetagLoadBalancers", actions.RetagLoadBalancers, everyKind, retagged(clusterName)),
    allow("ChangeLoadBalancers", actions.ChangeLoadBalancers, "*", { StringEquals: owned(clusterName) }),
  ];
}
