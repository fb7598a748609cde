import type { ClusterArgs, NodeGroupArgs } from "@pulumi/aws/eks";
import type { ReleaseArgs } from "@pulumi/kubernetes/helm/v3";
import { kubernetesVersion } from "../../components/core/versions";

// Arguments that the examples of many rules share. In their place, the page of a rule shows the line above them.

// a cluster
export const cluster: ClusterArgs = {
  roleArn: "arn:aws:iam::111122223333:role/shop-cluster",
  version: kubernetesVersion,
  vpcConfig: { subnetIds: ["subnet-0a1b2c3d", "subnet-4e5f6a7b"], publicAccessCidrs: ["203.0.113.7/32"] },
  accessConfig: { authenticationMode: "API" },
  enabledClusterLogTypes: ["api", "scheduler"],
  encryptionConfig: {
    provider: { keyArn: "arn:aws:kms:ap-northeast-2:111122223333:key/0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d" },
    resources: ["secrets"],
  },
};

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

// a NodePool of g5.xlarge, which terminates empty nodes
export const gpuPool = {
  template: {
    metadata: { labels: { "nvidia.com/gpu": "true" } },
    spec: {
      nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "gpu" },
      requirements: [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["g5.xlarge"] }],
      taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" }],
    },
  },
  disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "10m" },
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
  values: { driver: { enabled: false }, toolkit: { enabled: false } },
};

// a training container
export const training = {
  name: "train",
  image: "pytorch/pytorch:2.9.0-cuda12.8-cudnn9-runtime",
  resources: { requests: { cpu: "3" }, limits: { memory: "12Gi", "nvidia.com/gpu": "1" } },
};
