import type { NodeGroupArgs } from "@pulumi/aws/eks";
import type { ReleaseArgs } from "@pulumi/kubernetes/helm/v3";

// Arguments that the examples of many rules share. In their place, the page of a rule shows the line above them.

// a group of g5.xlarge
export const gpuNodes: NodeGroupArgs = {
  clusterName: "shop",
  nodeRoleArn: "arn:aws:iam::111122223333:role/gpu-nodes",
  subnetIds: ["subnet-0a1b2c3d"],
  amiType: "AL2023_x86_64_NVIDIA",
  instanceTypes: ["g5.xlarge"],
  taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 2 },
  updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
};

// a group of two nodes
export const workers: NodeGroupArgs = {
  clusterName: "shop",
  nodeRoleArn: "arn:aws:iam::111122223333:role/workers",
  subnetIds: ["subnet-0a1b2c3d"],
  scalingConfig: { minSize: 1, desiredSize: 2, maxSize: 3 },
};

// the chart of the GPU Operator
export const gpuOperator: ReleaseArgs = {
  chart: "gpu-operator",
  repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" },
  namespace: "gpu-operator",
  version: "v26.3.1",
  timeout: 900,
};
