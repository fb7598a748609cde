// What runs on GPU nodes: a model server, a training job, a metrics exporter, and the rights that they need.
import { DaemonSet, Deployment } from "@pulumi/kubernetes/apps/v1";
import { CronJob, Job } from "@pulumi/kubernetes/batch/v1";
import { Namespace } from "@pulumi/kubernetes/core/v1";
import { ClusterRole, Role, RoleBinding } from "@pulumi/kubernetes/rbac/v1";

const namespace = new Namespace("models", { metadata: { name: "models" } }).metadata.name;
const labels = { app: "server" };
const tolerations = [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }];
const gpu = (memory: string) => ({
  limits: { "nvidia.com/gpu": "1", memory },
  requests: { cpu: "2", memory },
});

new Deployment("server", {
  metadata: { namespace },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    strategy: { type: "Recreate" },
    template: {
      metadata: { labels },
      spec: {
        tolerations,
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: "nvidia.com/gpu.product", operator: "In", values: ["NVIDIA-A10G"] }] },
              ],
            },
          },
        },
        containers: [{ name: "server", image: "vllm/vllm-openai:v0.11.0", resources: gpu("12Gi") }],
        volumes: [{ name: "cache", emptyDir: { medium: "Memory", sizeLimit: "2Gi" } }],
      },
    },
  },
});

new Job("training", {
  metadata: { namespace },
  spec: {
    completions: 2,
    parallelism: 2,
    completionMode: "Indexed",
    template: {
      spec: {
        restartPolicy: "Never",
        tolerations,
        runtimeClassName: "nvidia",
        containers: [
          { name: "worker", image: "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime", resources: gpu("12Gi") },
        ],
      },
    },
  },
});

new CronJob("report", {
  metadata: { namespace },
  spec: {
    schedule: "0 6 * * *",
    jobTemplate: {
      spec: {
        template: {
          spec: { restartPolicy: "Never", containers: [{ name: "report", image: "curlimages/curl:8.16.0" }] },
        },
      },
    },
  },
});

new DaemonSet("exporter", {
  metadata: { namespace: "monitoring" },
  spec: {
    selector: { matchLabels: { app: "exporter" } },
    template: {
      metadata: { labels: { app: "exporter" } },
      spec: {
        tolerations,
        nodeSelector: { "nvidia.com/gpu.present": "true" },
        containers: [{ name: "exporter", image: "quay.io/prometheus/node-exporter:v1.9.1" }],
        volumes: [{ name: "textfile", hostPath: { path: "/var/lib/node-exporter", type: "DirectoryOrCreate" } }],
      },
    },
  },
});

const role = new Role("reader", {
  metadata: { namespace },
  rules: [{ apiGroups: ["", "batch"], resources: ["pods", "pods/log", "jobs"], verbs: ["get", "list", "watch"] }],
});
new RoleBinding("readers", {
  metadata: { namespace },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: role.metadata.name },
  subjects: [{ kind: "Group", name: "team" }],
});

new ClusterRole("node-reader", {
  metadata: { name: "node-reader" },
  rules: [{ apiGroups: [""], resources: ["nodes", "pods"], verbs: ["get", "list", "watch"] }],
});
