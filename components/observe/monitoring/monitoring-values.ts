import { deepMerge } from "../../core/reader/records";
import { type JsonObject } from "../../gpu/operator/values";
import { nodeLabelAllowlist } from "./node-labels";

/** The arguments that the values of the chart follow from. */
export interface MonitoringSettings {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly grafana: boolean;
  readonly alertmanager: boolean;
  readonly retentionHours: number;
  readonly retentionGiB: number;
  readonly nodeLabels: readonly string[];
  readonly values?: JsonObject | undefined;
}

/**
 * The values of kube-prometheus-stack for a lab on two t3.medium. Custom `values` are merged last.
 * @see https://github.com/prometheus-community/helm-charts/blob/kube-prometheus-stack-88.5.3/charts/kube-prometheus-stack/values.yaml 2026-08-21
 */
export function monitoringValues(settings: MonitoringSettings): JsonObject {
  const { nodeSelector, nodeLabels } = settings;
  const values: JsonObject = {
    ...notOnEks,
    crds: { enabled: true },
    prometheusOperator: operator(nodeSelector),
    prometheus: { prometheusSpec: prometheusSpec(settings) },
    alertmanager: {
      enabled: settings.alertmanager,
      alertmanagerSpec: { nodeSelector, affinity: nearStateMetrics, ...resources("10m", "32Mi", "128Mi") },
    },
    grafana: settings.grafana ? grafana(nodeSelector) : { enabled: false },
    "kube-state-metrics": {
      nodeSelector,
      ...resources("10m", "64Mi", "256Mi"),
      metricLabelsAllowlist: [nodeLabelAllowlist(nodeLabels)],
    },
    // On every node with any taint, GPU nodes included.
    "prometheus-node-exporter": { tolerations: [{ operator: "Exists" }], ...resources("20m", "32Mi", "128Mi") },
  };
  return deepMerge(values, settings.values ?? {});
}

/**
 * Prometheus cannot reach these on EKS, and kube-proxy listens only on the node's loopback, so alerts on their absence
 * would always fire. The API server is reachable, but would add as many series as all other targets, and no lab reads
 * them.
 */
const notOnEks = {
  kubeControllerManager: { enabled: false },
  kubeScheduler: { enabled: false },
  kubeEtcd: { enabled: false },
  kubeProxy: { enabled: false },
  kubeApiServer: { enabled: false },
  defaultRules: { disabled: { KubeAPIDown: true } },
} as const;

/** On this port the control plane calls the operator's webhook, which checks rules. The node firewall allows it. */
const webhookPort = 10250;

function operator(nodeSelector: JsonObject): JsonObject {
  return {
    nodeSelector,
    ...resources("20m", "64Mi", "256Mi"),
    tls: { internalPort: webhookPort },
    admissionWebhooks: { patch: { nodeSelector } },
    prometheusConfigReloader: resources("10m", "32Mi", "64Mi"),
  };
}

/** An empty selector that the chart does not fill in selects every rule and monitor of the cluster. */
const everyNamespace = {
  ruleSelectorNilUsesHelmValues: false,
  serviceMonitorSelectorNilUsesHelmValues: false,
  podMonitorSelectorNilUsesHelmValues: false,
} as const;

function prometheusSpec({ nodeSelector, retentionHours, retentionGiB }: MonitoringSettings): JsonObject {
  return {
    ...everyNamespace,
    nodeSelector,
    affinity: nearStateMetrics,
    ...resources("100m", "512Mi", "1536Mi"),
    retention: `${retentionHours}h`,
    retentionSize: `${retentionGiB}GiB`,
    // No persistent volume: a lab does not pay for old metrics. Twice the size, because the write-ahead log does not count
    // toward retentionSize.
    storageSpec: { emptyDir: { sizeLimit: `${2 * retentionGiB}Gi` } },
  };
}

/**
 * Most alerts need only kube-state-metrics. On the same node Prometheus reads it, and notifies Alertmanager, even while
 * the node firewall blocks all traffic between nodes.
 */
const nearStateMetrics = {
  podAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 100,
        podAffinityTerm: {
          topologyKey: "kubernetes.io/hostname",
          labelSelector: { matchLabels: { "app.kubernetes.io/name": "kube-state-metrics" } },
        },
      },
    ],
  },
} as const;

/** Without a password in the values the chart generates one and keeps it in a Secret. */
function grafana(nodeSelector: JsonObject): JsonObject {
  return {
    enabled: true,
    nodeSelector,
    affinity: nearStateMetrics,
    ...resources("50m", "192Mi", "512Mi"),
    sidecar: {
      ...resources("10m", "64Mi", "192Mi"),
      dashboards: { enabled: true, label: "grafana_dashboard", labelValue: "1", searchNamespace: "ALL" },
    },
    // The pod of a Helm test, which no lab runs.
    testFramework: { enabled: false },
    "grafana.ini": { analytics: { check_for_updates: false, reporting_enabled: false } },
  };
}

/** Requests, and a memory limit; a CPU limit would only slow the pod down. */
function resources(cpu: string, memory: string, memoryLimit: string): JsonObject {
  return { resources: { requests: { cpu, memory }, limits: { memory: memoryLimit } } };
}
