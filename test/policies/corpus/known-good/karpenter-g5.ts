// Karpenter starts g5 nodes for pods that wait for a GPU, and ends them when they are empty.
import * as aws from "@pulumi/aws";
import { CustomResource } from "@pulumi/kubernetes/apiextensions";
import { Deployment } from "@pulumi/kubernetes/apps/v1";
import { Release } from "@pulumi/kubernetes/helm/v3";

const nodeRole = new aws.iam.Role("karpenter-node", {
  assumeRolePolicy: JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" }, Action: "sts:AssumeRole" }],
  }),
});
for (const policy of ["AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryPullOnly"]) {
  new aws.iam.RolePolicyAttachment(policy, { role: nodeRole.name, policyArn: `arn:aws:iam::aws:policy/${policy}` });
}
new aws.eks.AccessEntry("karpenter-node", { clusterName: "ml", principalArn: nodeRole.arn, type: "EC2_LINUX" });

// The controller and the cluster's add-ons run on nodes that Karpenter has no say in.
new aws.eks.NodeGroup("system", {
  clusterName: "ml",
  nodeRoleArn: nodeRole.arn,
  subnetIds: ["subnet-0a1b2c3d", "subnet-0a1b2c3e"],
  instanceTypes: ["m7i.large"],
  taints: [{ key: "CriticalAddonsOnly", value: "true", effect: "NO_SCHEDULE" }],
  scalingConfig: { minSize: 2, desiredSize: 2, maxSize: 3 },
});

const karpenter = new Release("karpenter", {
  chart: "oci://public.ecr.aws/karpenter/karpenter",
  version: "1.9.0",
  namespace: "kube-system",
  values: { settings: { clusterName: "ml", interruptionQueue: "ml-karpenter" } },
});

const discovery = [{ tags: { "karpenter.sh/discovery": "ml" } }];
const nodeClass = new CustomResource(
  "gpu-class",
  {
    apiVersion: "karpenter.k8s.aws/v1",
    kind: "EC2NodeClass",
    metadata: { name: "gpu" },
    spec: {
      role: nodeRole.name,
      amiSelectorTerms: [{ alias: "al2023@v20260930" }],
      subnetSelectorTerms: discovery,
      securityGroupSelectorTerms: discovery,
      metadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 1 },
      blockDeviceMappings: [
        { deviceName: "/dev/xvda", ebs: { volumeSize: "100Gi", volumeType: "gp3", encrypted: true } },
      ],
    },
  },
  { dependsOn: karpenter },
);

new CustomResource("gpu-pool", {
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name: "gpu" },
  spec: {
    template: {
      metadata: { labels: { "nvidia.com/gpu": "true" } },
      spec: {
        nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: nodeClass.metadata.name },
        requirements: [
          { key: "karpenter.k8s.aws/instance-family", operator: "In", values: ["g5"] },
          { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot", "on-demand"] },
        ],
        taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" }],
        expireAfter: "720h",
      },
    },
    limits: { "nvidia.com/gpu": 4 },
    disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "2m" },
  },
});

new Release("nvidia-device-plugin", {
  chart: "nvidia-device-plugin",
  version: "0.19.0",
  namespace: "kube-system",
  repositoryOpts: { repo: "https://nvidia.github.io/k8s-device-plugin" },
});

// A rollout that adds a pod first gets a node for it.
const labels = { app: "translate" };
new Deployment("translate", {
  metadata: { namespace: "translate" },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        nodeSelector: { "karpenter.k8s.aws/instance-gpu-name": "a10g" },
        tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
        containers: [
          {
            name: "server",
            image: "nvcr.io/nvidia/tritonserver:25.08-py3",
            resources: { limits: { "nvidia.com/gpu": "1", memory: "12Gi" }, requests: { cpu: "2" } },
          },
        ],
      },
    },
  },
});
