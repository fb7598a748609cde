// vLLM behind a Service, scaled by the requests that wait, on two nodes at most.
import * as aws from "@pulumi/aws";
import { Deployment } from "@pulumi/kubernetes/apps/v1";
import { HorizontalPodAutoscaler } from "@pulumi/kubernetes/autoscaling/v2";
import { Namespace, PersistentVolumeClaim, Secret, Service, ServiceAccount } from "@pulumi/kubernetes/core/v1";
import { PodDisruptionBudget } from "@pulumi/kubernetes/policy/v1";
import * as pulumi from "@pulumi/pulumi";

new aws.eks.NodeGroup("inference", {
  clusterName: "ml",
  nodeRoleArn: "arn:aws:iam::123456789012:role/nodes",
  subnetIds: ["subnet-0a1b2c3d"],
  amiType: "AL2023_x86_64_NVIDIA",
  releaseVersion: "1.35.8-20260930",
  instanceTypes: ["g5.xlarge"],
  diskSize: 200,
  labels: { "nvidia.com/gpu": "true", workload: "inference" },
  taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  scalingConfig: { minSize: 0, desiredSize: 0, maxSize: 2 },
  updateConfig: { maxUnavailable: 1, updateStrategy: "MINIMAL" },
});

const namespace = new Namespace("vllm", { metadata: { name: "vllm" } }).metadata.name;
const labels = { app: "vllm" };
const token = new Secret("hugging-face", {
  metadata: { namespace },
  stringData: { token: new pulumi.Config().getSecret("huggingFaceToken") ?? "" },
});
const models = new PersistentVolumeClaim("models", {
  metadata: { namespace },
  spec: { accessModes: ["ReadWriteMany"], storageClassName: "efs", resources: { requests: { storage: "100Gi" } } },
});
const account = new ServiceAccount("vllm", { metadata: { namespace } });

const server = new Deployment("vllm", {
  metadata: { namespace, labels },
  spec: {
    // The autoscaler says how many. A rollout ends a pod first: its GPU is the only one that is surely there.
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: account.metadata.name,
        nodeSelector: { workload: "inference" },
        tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
        containers: [
          {
            name: "vllm",
            image: "vllm/vllm-openai:v0.11.0",
            args: ["--model", "Qwen/Qwen2.5-7B-Instruct-AWQ", "--max-model-len", "8192"],
            env: [{ name: "HF_TOKEN", valueFrom: { secretKeyRef: { name: token.metadata.name, key: "token" } } }],
            ports: [{ name: "http", containerPort: 8000 }],
            resources: { limits: { "nvidia.com/gpu": "1", memory: "14Gi" }, requests: { cpu: "2", memory: "12Gi" } },
            startupProbe: { httpGet: { path: "/health", port: "http" }, periodSeconds: 10, failureThreshold: 90 },
            readinessProbe: { httpGet: { path: "/health", port: "http" } },
            volumeMounts: [
              { name: "models", mountPath: "/root/.cache/huggingface" },
              { name: "shm", mountPath: "/dev/shm" },
            ],
          },
        ],
        volumes: [
          { name: "models", persistentVolumeClaim: { claimName: models.metadata.name } },
          { name: "shm", emptyDir: { medium: "Memory", sizeLimit: "2Gi" } },
        ],
      },
    },
  },
});
new Service("vllm", { metadata: { namespace }, spec: { selector: labels, ports: [{ port: 80, targetPort: "http" }] } });
new PodDisruptionBudget("vllm", {
  metadata: { namespace },
  spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
});
new HorizontalPodAutoscaler("vllm", {
  metadata: { namespace },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: server.metadata.name },
    minReplicas: 1,
    maxReplicas: 2,
    metrics: [
      {
        type: "Pods",
        pods: { metric: { name: "vllm:num_requests_waiting" }, target: { type: "AverageValue", averageValue: "5" } },
      },
    ],
  },
});
