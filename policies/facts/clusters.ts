import { any, equals, type Truth } from "../engine/values";
import type { Resource } from "../engine/resource";

/** The types of EKS clusters. The engine passes the one of @pulumi/eks without inputs, but with its child. */
export const awsCluster = "aws:eks/cluster:Cluster";
export const eksCluster = "eks:index:Cluster";
export const ownCluster = "eks-gpu-lab:index:EksCluster";

/** A provider of @pulumi/kubernetes. Its resources are in one cluster. */
export const kubernetesProvider = "pulumi:providers:kubernetes";

export const clusterTypes: readonly string[] = [awsCluster, eksCluster, ownCluster];

export const addon = "aws:eks/addon:Addon";

/** Whether EKS Auto Mode brings nodes to a cluster. */
export function usesAutoMode(cluster: Resource): Truth {
  return any(...["computeConfig.enabled", "autoMode.enabled"].map((path) => equals(cluster.boolean(path), true)));
}
