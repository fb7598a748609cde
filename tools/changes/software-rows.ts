import { type ChangeRow, switched, inPlace, gpu, operator, prometheus, helm, upgrade } from "./change-row";

const restarts = "The pods of the operator restart. Running GPU pods continue.";

export const operatorRows: Readonly<Record<string, ChangeRow>> = {
  "gpuOperator.enabled": switched(
    "Installs or uninstalls the operator. Without it, the device plugin ends: running GPU pods continue, new ones stay Pending.",
    helm,
    ["gpuOperator.enabled=false"],
    operator,
    "Namespace gpu-lab-gpu-operator-namespace",
  ),
  "gpuOperator.chartVersion": upgrade(
    "Helm upgrades the release. The DaemonSets restart node by node; running GPU pods continue.",
    ["gpuOperator.chartVersion=v26.3.3"],
    `${operator} version`,
  ),
  "gpuOperator.namespace": {
    effect: "replaced",
    what: "The old release is uninstalled, then the new one is installed. New GPU pods stay Pending meanwhile.",
    time: "5 to 10 min",
    proof: {
      preview: "replaced",
      config: ["gpuOperator.namespace=nvidia"],
      lines: [
        operator,
        "Namespace gpu-lab-gpu-operator-namespace",
        "ConfigMap gpu-lab-gpu-dashboard",
        "PrometheusRule gpu-lab-gpu-alerts",
      ],
    },
  },
  "gpuOperator.repository": upgrade(
    "Helm reads the chart from there. The objects stay the same if the chart does.",
    ["gpuOperator.repository=oci://123456789012.dkr.ecr.ap-northeast-2.amazonaws.com/nvidia"],
    `${operator} chart`,
    `${operator} repositoryOpts`,
  ),
  "gpuOperator.devicePlugin": upgrade(
    "Without the device plugin, the node advertises no GPU: running GPU pods continue, new ones stay Pending.",
    ["gpuOperator.devicePlugin=false"],
    `${operator} values.devicePlugin`,
  ),
  "gpuOperator.dcgmExporter": upgrade(
    `${restarts} Without the exporter, there are no GPU metrics.`,
    ["gpuOperator.dcgmExporter=false"],
    `${operator} values.dcgmExporter.enabled`,
  ),
  "gpuOperator.serviceMonitor": upgrade(
    "Prometheus starts or stops reading the exporter.",
    ["gpuOperator.serviceMonitor=false"],
    `${operator} values.dcgmExporter.serviceMonitor`,
  ),
  "gpuOperator.validatorWorkload": upgrade(
    restarts,
    ["gpuOperator.validatorWorkload=false"],
    `${operator} values.validator`,
  ),
  "gpuOperator.timeSlicing": inPlace(
    "The device plugin restarts and advertises another number of GPUs. Running GPU pods continue.",
    helm,
    ["gpuOperator.timeSlicing.replicas=4"],
    `${operator} values.devicePlugin.config`,
  ),
  "gpuOperator.mps": {
    effect: "in place",
    what: "The device plugin restarts and advertises another number of GPUs. End GPU pods first: those that run do not use MPS.",
    time: helm,
    proof: {
      preview: "rolling",
      config: ["gpuOperator.mps.replicas=4"],
      lines: [`${operator} values.devicePlugin.config`],
    },
  },
  "gpuOperator.migStrategy": {
    effect: "in place",
    what: "The device plugin restarts and advertises other resources. Pods that request resources that no longer exist stay Pending.",
    time: helm,
    proof: {
      preview: "alone",
      from: ["gpuNodes.instanceType=p4d.24xlarge"],
      config: ["gpuOperator.migStrategy=mixed"],
      lines: [`${operator} values.mig`],
    },
  },
  "gpuOperator.values": upgrade(
    "It depends on the value; a preview shows the objects that Helm changes.",
    ["gpuOperator.values.gfd.enabled=false"],
    `${operator} values.gfd`,
  ),
  "gpuOperator.timeoutSeconds": upgrade(
    "Nothing restarts.",
    ["gpuOperator.timeoutSeconds=1200"],
    `${operator} timeout`,
  ),
  "gpuHealth.engine": upgrade(
    "DCGM moves between the node monitoring agent and the operator. GPU metrics have a gap.",
    ["gpuHealth.engine=operator"],
    "Addon gpu-lab-node-monitoring configurationValues",
    `${operator} values.dcgm.`,
    `${operator} values.dcgmExporter.env`,
    `${operator} values.dcgmExporter.hostNetwork`,
  ),
  "gpuHealth.repair": inPlace(
    "EKS may replace or restart nodes that are unhealthy now, with their pods.",
    "1 min",
    ["gpuHealth.repair.maxUnhealthy=1"],
    `NodeGroup ${gpu} nodeRepairConfig`,
  ),
};

const noMetrics = "Prometheus keeps its metrics in an emptyDir on the node, and loses them when its pod is replaced.";

export const monitoringRows: Readonly<Record<string, ChangeRow>> = {
  "monitoring.enabled": switched(
    "Installs or uninstalls Prometheus, Grafana and Alertmanager, with their metrics.",
    helm,
    ["monitoring.enabled=false"],
    prometheus,
    "Namespace gpu-lab-monitoring-namespace",
    "ConfigMap gpu-lab-gpu-dashboard",
    "PrometheusRule gpu-lab-gpu-alerts",
  ),
  "monitoring.chartVersion": upgrade(
    `Helm upgrades the release. ${noMetrics}`,
    ["monitoring.chartVersion=88.9.9"],
    `${prometheus} version`,
  ),
  "monitoring.namespace": {
    effect: "replaced",
    what: "The old release is uninstalled with its metrics, then the new one is installed.",
    time: "5 to 10 min",
    proof: {
      preview: "replaced",
      config: ["monitoring.namespace=metrics"],
      lines: [
        prometheus,
        "Namespace gpu-lab-monitoring-namespace",
        "ConfigMap gpu-lab-gpu-dashboard",
        "PrometheusRule gpu-lab-gpu-alerts",
      ],
    },
  },
  "monitoring.repository": upgrade(
    "Helm reads the chart from there. The objects stay the same if the chart does.",
    ["monitoring.repository=https://charts.example.com/prometheus"],
    `${prometheus} repositoryOpts`,
  ),
  "monitoring.grafana": upgrade(
    "Installs or removes Grafana, with what users changed in it.",
    ["monitoring.grafana=false"],
    `${prometheus} values.grafana`,
    "ConfigMap gpu-lab-gpu-dashboard",
  ),
  "monitoring.alertmanager": upgrade(
    "Installs or removes Alertmanager, with its silences.",
    ["monitoring.alertmanager=false"],
    `${prometheus} values.alertmanager`,
  ),
  "monitoring.retentionHours": upgrade(
    `Prometheus restarts. ${noMetrics}`,
    ["monitoring.retentionHours=48"],
    `${prometheus} values.prometheus.prometheusSpec.retention`,
  ),
  "monitoring.retentionGiB": upgrade(
    `Prometheus restarts. ${noMetrics}`,
    ["monitoring.retentionGiB=4"],
    `${prometheus} values.prometheus.prometheusSpec.retentionSize`,
    `${prometheus} values.prometheus.prometheusSpec.storageSpec`,
  ),
  "monitoring.nodeLabels": upgrade(
    "The pod of kube-state-metrics restarts.",
    ["monitoring.nodeLabels[0]=team"],
    `${prometheus} values.kube-state-metrics`,
  ),
  "monitoring.values": upgrade(
    "It depends on the value; a preview shows the objects that Helm changes.",
    ["monitoring.values.prometheus.prometheusSpec.scrapeInterval=15s"],
    `${prometheus} values.prometheus.prometheusSpec.scrapeInterval`,
  ),
  "monitoring.timeoutSeconds": upgrade(
    "Nothing restarts.",
    ["monitoring.timeoutSeconds=1200"],
    `${prometheus} timeout`,
  ),
};
