// A cluster and its groups as the examples of @pulumi/eks write them, with GPU nodes of today.
import * as aws from "@pulumi/aws";
import * as eks from "@pulumi/eks";

const role = new aws.iam.Role("nodes", {
  assumeRolePolicy: JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" }, Action: "sts:AssumeRole" }],
  }),
});
for (const policy of ["AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryReadOnly"]) {
  new aws.iam.RolePolicyAttachment(policy, { role: role.name, policyArn: `arn:aws:iam::aws:policy/${policy}` });
}

const key = new aws.kms.Key("secrets", { enableKeyRotation: true });
const cluster = new eks.Cluster("shop", {
  version: "1.35",
  skipDefaultNodeGroup: true,
  authenticationMode: eks.AuthenticationMode.Api,
  encryptionConfigKeyArn: key.arn,
  endpointPublicAccess: true,
  publicAccessCidrs: ["198.51.100.7/32"],
  enabledClusterLogTypes: ["api", "audit", "scheduler"],
});

eks.createManagedNodeGroup(
  "system",
  { cluster, nodeRole: role, instanceTypes: ["t3.medium"], scalingConfig: { minSize: 1, desiredSize: 2, maxSize: 4 } },
  cluster,
);
// eks.ManagedNodeGroup takes no updateConfig, and the default update wants more vCPUs than a new account has.
new aws.eks.NodeGroup("gpu", {
  clusterName: cluster.eksCluster.name,
  nodeRoleArn: role.arn,
  subnetIds: ["subnet-0a1b2c3d"],
  amiType: "AL2023_x86_64_NVIDIA",
  releaseVersion: "1.35.8-20260930",
  instanceTypes: ["g5.xlarge"],
  diskSize: 100,
  labels: { "nvidia.com/gpu": "true" },
  taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 2 },
  updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
});
