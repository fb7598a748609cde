// EKS Auto Mode: EKS brings nodes, driver and device plugin; the program says only which machines pods with a GPU get.
import * as aws from "@pulumi/aws";
import { CustomResource } from "@pulumi/kubernetes/apiextensions";
import { Job } from "@pulumi/kubernetes/batch/v1";

function role(name: string, service: string, policies: string[]): aws.iam.Role {
  const one = new aws.iam.Role(name, {
    assumeRolePolicy: JSON.stringify({
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Principal: { Service: service }, Action: ["sts:AssumeRole", "sts:TagSession"] }],
    }),
  });
  for (const policy of policies) {
    new aws.iam.RolePolicyAttachment(policy, { role: one.name, policyArn: `arn:aws:iam::aws:policy/${policy}` });
  }
  return one;
}

const clusterRole = role("cluster", "eks.amazonaws.com", [
  "AmazonEKSClusterPolicy",
  "AmazonEKSComputePolicy",
  "AmazonEKSBlockStoragePolicy",
  "AmazonEKSLoadBalancingPolicy",
  "AmazonEKSNetworkingPolicy",
]);
const nodeRole = role("nodes", "ec2.amazonaws.com", [
  "AmazonEKSWorkerNodeMinimalPolicy",
  "AmazonEC2ContainerRegistryPullOnly",
]);
const key = new aws.kms.Key("secrets", { enableKeyRotation: true });

const cluster = new aws.eks.Cluster("auto", {
  version: "1.35",
  roleArn: clusterRole.arn,
  bootstrapSelfManagedAddons: false,
  accessConfig: { authenticationMode: "API" },
  computeConfig: { enabled: true, nodePools: ["general-purpose", "system"], nodeRoleArn: nodeRole.arn },
  kubernetesNetworkConfig: { elasticLoadBalancing: { enabled: true } },
  storageConfig: { blockStorage: { enabled: true } },
  encryptionConfig: { resources: ["secrets"], provider: { keyArn: key.arn } },
  enabledClusterLogTypes: ["api", "audit", "scheduler"],
  vpcConfig: {
    subnetIds: ["subnet-0a1b2c3d", "subnet-0a1b2c3e"],
    endpointPrivateAccess: true,
    endpointPublicAccess: false,
  },
});
new aws.eks.Addon("metrics-server", {
  clusterName: cluster.name,
  addonName: "metrics-server",
  addonVersion: "v0.9.0-eksbuild.5",
});

const pool = new CustomResource("gpu", {
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name: "gpu" },
  spec: {
    template: {
      metadata: { labels: { "nvidia.com/gpu": "true" } },
      spec: {
        nodeClassRef: { group: "eks.amazonaws.com", kind: "NodeClass", name: "default" },
        requirements: [
          { key: "eks.amazonaws.com/instance-family", operator: "In", values: ["g6", "g6e"] },
          { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
        ],
        taints: [{ key: "nvidia.com/gpu", effect: "NoSchedule" }],
      },
    },
    limits: { "nvidia.com/gpu": 2 },
    disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "5m" },
  },
});

new Job(
  "nvidia-smi",
  {
    spec: {
      template: {
        spec: {
          restartPolicy: "OnFailure",
          nodeSelector: { "eks.amazonaws.com/instance-gpu-name": "l40s", "eks.amazonaws.com/compute-type": "auto" },
          tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
          containers: [
            {
              name: "nvidia-smi",
              image: "public.ecr.aws/amazonlinux/amazonlinux:2023-minimal",
              command: ["nvidia-smi"],
              resources: { limits: { "nvidia.com/gpu": "1", memory: "30Gi" }, requests: { cpu: "3500m" } },
            },
          ],
        },
      },
    },
  },
  { dependsOn: pool },
);
