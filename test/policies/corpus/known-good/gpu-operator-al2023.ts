// The GPU Operator where EKS's AMI brings the driver: the node monitoring agent has the DCGM engine, the exporter uses it.
import * as aws from "@pulumi/aws";
import { Release } from "@pulumi/kubernetes/helm/v3";
import { Pod } from "@pulumi/kubernetes/core/v1";

const cluster = aws.eks.getClusterOutput({ name: "ml" });
const toleration = { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" };

const gpuNodes = new aws.eks.NodeGroup("gpu", {
  clusterName: cluster.name,
  nodeRoleArn: "arn:aws:iam::123456789012:role/nodes",
  subnetIds: ["subnet-0a1b2c3d"],
  version: "1.35",
  amiType: "AL2023_x86_64_NVIDIA",
  releaseVersion: "1.35.8-20260930",
  instanceTypes: ["g6.xlarge"],
  diskSize: 200,
  labels: { "nvidia.com/gpu": "true" },
  taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 2 },
  updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
  nodeRepairConfig: { enabled: true, maxParallelNodesRepairedCount: 1 },
});

const agent = new aws.eks.Addon("node-monitoring", {
  clusterName: cluster.name,
  addonName: "eks-node-monitoring-agent",
  addonVersion: "v1.7.0-eksbuild.1",
  configurationValues: JSON.stringify({ dcgmAgent: { tolerations: [toleration] } }),
});

const operator = new Release(
  "gpu-operator",
  {
    chart: "gpu-operator",
    version: "v26.3.1",
    namespace: "gpu-operator",
    createNamespace: true,
    repositoryOpts: { repo: "https://helm.ngc.nvidia.com/nvidia" },
    timeout: 900,
    values: {
      driver: { enabled: false },
      toolkit: { enabled: false },
      dcgm: { enabled: false },
      dcgmExporter: {
        hostNetwork: true,
        env: [{ name: "DCGM_REMOTE_HOSTENGINE_INFO", value: "localhost:5555" }],
        serviceMonitor: { enabled: true },
      },
    },
  },
  { dependsOn: [gpuNodes, agent] },
);

new Pod(
  "cuda-vectoradd",
  {
    metadata: { namespace: "default" },
    spec: {
      restartPolicy: "OnFailure",
      tolerations: [toleration],
      containers: [
        {
          name: "cuda-vectoradd",
          image: "nvcr.io/nvidia/k8s/cuda-sample:vectoradd-cuda12.5.0-ubuntu22.04",
          resources: { limits: { "nvidia.com/gpu": "1", memory: "1Gi" }, requests: { cpu: "500m" } },
        },
      ],
    },
  },
  { dependsOn: operator },
);
