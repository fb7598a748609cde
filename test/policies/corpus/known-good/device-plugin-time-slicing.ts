// NVIDIA's device plugin by its own chart, four pods on each GPU, and a service whose rollout needs no free GPU for that.
import * as aws from "@pulumi/aws";
import { Deployment } from "@pulumi/kubernetes/apps/v1";
import { Pod } from "@pulumi/kubernetes/core/v1";
import { Release } from "@pulumi/kubernetes/helm/v3";

const tolerations = [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }];
const shareOfGpu = { limits: { "nvidia.com/gpu": "1", memory: "2Gi" }, requests: { cpu: "250m" } };

const gpuNodes = new aws.eks.NodeGroup("gpu", {
  clusterName: "ml",
  nodeRoleArn: "arn:aws:iam::123456789012:role/nodes",
  subnetIds: ["subnet-0a1b2c3d"],
  amiType: "AL2023_x86_64_NVIDIA",
  releaseVersion: "1.35.8-20260930",
  instanceTypes: ["g4dn.xlarge"],
  diskSize: 100,
  labels: { "nvidia.com/gpu": "true" },
  taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 1 },
  updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
});

const sharing = `version: v1
sharing:
  timeSlicing:
    resources:
      - name: nvidia.com/gpu
        replicas: 4
`;

const plugin = new Release(
  "nvdp",
  {
    chart: "nvidia-device-plugin",
    version: "0.19.0",
    namespace: "nvidia-device-plugin",
    createNamespace: true,
    repositoryOpts: { repo: "https://nvidia.github.io/k8s-device-plugin" },
    values: { config: { map: { default: sharing } }, gfd: { enabled: true } },
  },
  { dependsOn: gpuNodes },
);

new Pod(
  "cuda-vectoradd",
  {
    spec: {
      restartPolicy: "Never",
      tolerations,
      containers: [
        {
          name: "vectoradd",
          image: "nvcr.io/nvidia/k8s/cuda-sample:vectoradd-cuda12.5.0",
          resources: shareOfGpu,
        },
      ],
    },
  },
  { dependsOn: plugin },
);

const labels = { app: "embeddings" };
new Deployment(
  "embeddings",
  {
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          tolerations,
          nodeSelector: { "nvidia.com/gpu.present": "true" },
          containers: [
            {
              name: "server",
              image: "ghcr.io/huggingface/text-embeddings-inference:turing-1.8",
              args: ["--model-id", "BAAI/bge-small-en-v1.5"],
              resources: shareOfGpu,
            },
          ],
        },
      },
    },
  },
  { dependsOn: plugin },
);
