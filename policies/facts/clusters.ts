/** The types of EKS clusters. The engine passes the one of @pulumi/eks without inputs, but with its child. */
export const awsCluster = "aws:eks/cluster:Cluster";
export const eksCluster = "eks:index:Cluster";
export const ownCluster = "eks-gpu-lab:index:EksCluster";

export const clusterTypes: readonly string[] = [awsCluster, eksCluster, ownCluster];

export const addon = "aws:eks/addon:Addon";
