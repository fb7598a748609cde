import { allow, policyDocument, type PolicyDocument } from "../identity/policy-document";

export interface ClusterAutoscalerPolicyArgs {
  /** `aws`, `aws-cn` or `aws-us-gov`. */
  readonly partition: string;
  readonly region: string;
  readonly accountId: string;
  readonly clusterName: string;
}

/**
 * The permissions of the Cluster Autoscaler: to read, and to change the size of the cluster's own Auto Scaling groups.
 * This policy and auto-discovery require the tags `k8s.io/cluster-autoscaler/enabled=true` and
 * `k8s.io/cluster-autoscaler/<cluster>=owned`. EKS sets them on the groups of managed node groups.
 *
 * @see https://github.com/kubernetes/autoscaler/blob/cluster-autoscaler-1.35.2/cluster-autoscaler/cloudprovider/aws/README.md#iam-policy
 * @see https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html "automatically tagged for auto-discovery"
 */
export function clusterAutoscalerPolicy(args: ClusterAutoscalerPolicyArgs): PolicyDocument {
  const { partition, region, accountId, clusterName } = args;
  const here = `${region}:${accountId}`;
  const groups = `arn:${partition}:autoscaling:${here}:autoScalingGroup:*:autoScalingGroupName/*`;
  return policyDocument(
    allow("Read", reads, "*"),
    allow("ReadNodeGroups", ["eks:DescribeNodegroup"], `arn:${partition}:eks:${here}:nodegroup/${clusterName}/*/*`),
    allow(
      "ScaleOwnGroups",
      ["autoscaling:SetDesiredCapacity", "autoscaling:TerminateInstanceInAutoScalingGroup"],
      groups,
      {
        StringEquals: { [`aws:ResourceTag/k8s.io/cluster-autoscaler/${clusterName}`]: "owned" },
      },
    ),
  );
}

/** AWS has no resource level for these. */
const reads = [
  "autoscaling:DescribeAutoScalingGroups",
  "autoscaling:DescribeAutoScalingInstances",
  "autoscaling:DescribeLaunchConfigurations",
  "autoscaling:DescribeScalingActivities",
  "autoscaling:DescribeTags",
  "ec2:DescribeImages",
  "ec2:DescribeInstanceTypes",
  "ec2:DescribeLaunchTemplateVersions",
  "ec2:GetInstanceTypesFromInstanceRequirements",
];
