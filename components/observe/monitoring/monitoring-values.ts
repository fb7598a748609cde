import { mergeValues, type JsonObject } from "../../gpu/operator/values";
import { nodeLabelAllowlist } from "./node-labels";

/** What the values of the chart are made from. */
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
 * The values of kube-prometheus-stack for a lab on two t3.medium. Free-form `values` are laid over last.
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
      alertmanagerSpec: { nodeSelector, affinity: besideStateMetrics, ...uses("10m", "32Mi", "128Mi") },
    },
    grafana: settings.grafana ? grafana(nodeSelector) : { enabled: false },
    "kube-state-metrics": {
      nodeSelector,
      ...uses("10m", "64Mi", "256Mi"),
      metricLabelsAllowlist: [nodeLabelAllowlist(nodeLabels)],
    },
    // On every node, whatever its taints: on a GPU node too.
    "prometheus-node-exporter": { tolerations: [{ operator: "Exists" }], ...uses("20m", "32Mi", "128Mi") },
  };
  return mergeValues(values, settings.values ?? {});
}

/**
 * EKS runs these where nobody can scrape them, and kube-proxy listens on the node's own loopback; alerts that they are
 * gone would fire for ever. The API server can be scraped: half of all series would be its, and no lab reads them.
 */
const notOnEks = {
  kubeControllerManager: { enabled: false },
  kubeScheduler: { enabled: false },
  kubeEtcd: { enabled: false },
  kubeProxy: { enabled: false },
  kubeApiServer: { enabled: false },
  defaultRules: { disabled: { KubeAPIDown: true } },
} as const;

/**
 * The control plane calls the webhook that checks rules on the operator's pod. The node firewall lets it through on
 * this port, as on a few others.
 */
export const webhookPort = 10250;

function operator(nodeSelector: JsonObject): JsonObject {
  return {
    nodeSelector,
    ...uses("20m", "64Mi", "256Mi"),
    tls: { internalPort: webhookPort },
    admissionWebhooks: { patch: { nodeSelector } },
    prometheusConfigReloader: uses("10m", "32Mi", "64Mi"),
  };
}

/** A selector that is empty, and not filled in by the chart, takes every rule and monitor of the cluster: ours too. */
const everyone = {
  ruleSelectorNilUsesHelmValues: false,
  serviceMonitorSelectorNilUsesHelmValues: false,
  podMonitorSelectorNilUsesHelmValues: false,
} as const;

function prometheusSpec({ nodeSelector, retentionHours, retentionGiB }: MonitoringSettings): JsonObject {
  return {
    ...everyone,
    nodeSelector,
    affinity: besideStateMetrics,
    ...uses("100m", "512Mi", "1536Mi"),
    retention: `${retentionHours}h`,
    retentionSize: `${retentionGiB}GiB`,
    // No persistent volume: what a lab measured last week would cost money this week. Twice, because the log of what is
    // not compacted yet does not count.
    storageSpec: { emptyDir: { sizeLimit: `${2 * retentionGiB}Gi` } },
  };
}

/**
 * Most alerts need kube-state-metrics alone. On one node with it Prometheus reads it, and tells Alertmanager, even
 * while the node firewall blocks everything between nodes.
 */
const besideStateMetrics = {
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

/** Without a password among the values the chart makes one up and keeps it in a Secret. */
function grafana(nodeSelector: JsonObject): JsonObject {
  return {
    enabled: true,
    nodeSelector,
    affinity: besideStateMetrics,
    ...uses("50m", "192Mi", "512Mi"),
    sidecar: {
      ...uses("10m", "64Mi", "192Mi"),
      dashboards: { enabled: true, label: "grafana_dashboard", labelValue: "1", searchNamespace: "ALL" },
    },
    // A pod of a Helm test, for which nobody asks.
    testFramework: { enabled: false },
    "grafana.ini": { analytics: { check_for_updates: false, reporting_enabled: false } },
  };
}

/** Requests, and a limit of memory; a limit of CPU would only slow things down. */
function uses(cpu: string, memory: string, most: string): JsonObject {
  return { resources: { requests: { cpu, memory }, limits: { memory: most } } };
}
