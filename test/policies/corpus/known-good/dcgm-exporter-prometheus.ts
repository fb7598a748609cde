// DCGM exporter as a DaemonSet of its own, Prometheus that reads it, and the alerts that a GPU cluster wants.
import { CustomResource } from "@pulumi/kubernetes/apiextensions";
import { DaemonSet } from "@pulumi/kubernetes/apps/v1";
import { Namespace, Service } from "@pulumi/kubernetes/core/v1";
import { Release } from "@pulumi/kubernetes/helm/v3";

const monitoring = new Namespace("monitoring", { metadata: { name: "monitoring" } });
const namespace = "monitoring";
const labels = { app: "dcgm-exporter" };

const exporter = new DaemonSet(
  "dcgm-exporter",
  {
    metadata: { namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
      template: {
        metadata: { labels },
        spec: {
          nodeSelector: { "nvidia.com/gpu.present": "true" },
          tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
          runtimeClassName: "nvidia",
          containers: [
            {
              name: "exporter",
              image: "nvcr.io/nvidia/k8s/dcgm-exporter:4.5.1-4.8.0-distroless",
              env: [
                { name: "DCGM_EXPORTER_LISTEN", value: ":9400" },
                { name: "DCGM_EXPORTER_KUBERNETES", value: "true" },
              ],
              ports: [{ name: "metrics", containerPort: 9400 }],
              // Profiling metrics need it.
              securityContext: { runAsUser: 0, capabilities: { add: ["SYS_ADMIN"] } },
              volumeMounts: [{ name: "pod-gpus", mountPath: "/var/lib/kubelet/pod-resources", readOnly: true }],
            },
          ],
          volumes: [{ name: "pod-gpus", hostPath: { path: "/var/lib/kubelet/pod-resources", type: "Directory" } }],
        },
      },
    },
  },
  { dependsOn: monitoring },
);
new Service("dcgm-exporter", {
  metadata: { namespace, labels },
  spec: { selector: labels, ports: [{ name: "metrics", port: 9400 }] },
});

const allocatable = 'kube_node_status_allocatable{resource="nvidia_com_gpu"}';
const gpuNodes = 'kube_node_labels{label_nvidia_com_gpu_present="true"}';
const stack = new Release(
  "kube-prometheus-stack",
  {
    chart: "kube-prometheus-stack",
    version: "86.0.0",
    namespace,
    repositoryOpts: { repo: "https://prometheus-community.github.io/helm-charts" },
    values: {
      "kube-state-metrics": { metricLabelsAllowlist: ["nodes=[nvidia.com/gpu.present]"] },
      prometheus: { prometheusSpec: { serviceMonitorSelectorNilUsesHelmValues: false } },
      additionalPrometheusRulesMap: {
        gpu: {
          groups: [
            {
              name: "gpu",
              rules: [
                { alert: "GpusLost", expr: `${allocatable} == 0 and on (node) ${gpuNodes}`, for: "2m" },
                { alert: "ExporterGone", expr: 'absent(up{job="dcgm-exporter"} == 1)', for: "10m" },
              ],
            },
          ],
        },
      },
    },
  },
  { dependsOn: exporter },
);

new CustomResource(
  "dcgm-exporter-monitor",
  {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: { namespace },
    spec: { selector: { matchLabels: labels }, endpoints: [{ port: "metrics", interval: "15s" }] },
  },
  { dependsOn: stack },
);
new CustomResource(
  "gpu-faults",
  {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { namespace },
    spec: {
      groups: [
        {
          name: "faults",
          rules: [
            { alert: "XidError", expr: "DCGM_FI_DEV_XID_ERRORS > 0", for: "1m" },
            { alert: "GpuHot", expr: "DCGM_FI_DEV_GPU_TEMP > 88", for: "5m" },
            { alert: "GpuIdle", expr: "avg_over_time(DCGM_FI_PROF_GR_ENGINE_ACTIVE[30m]) < 0.02", for: "1h" },
          ],
        },
      ],
    },
  },
  { dependsOn: stack },
);
