// Tags by which Karpenter and EKS Auto Mode know the instances that they start.

/** The tag with the name of the cluster: of both. */
export const instanceClusterTag = "eks:eks-cluster-name";

/** The label of a node, and of its NodeClaim, with the name of the NodePool. */
export const nodePoolLabel = "karpenter.sh/nodepool";

/**
 * The tag with the name of the NodePool.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/auto-cluster-iam-role.html#tag-prop
 */
export const nodePoolTags = { karpenter: nodePoolLabel, autoMode: "eks:kubernetes-node-pool-name" } as const;
