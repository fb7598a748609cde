import type { NamespaceArgs } from "@pulumi/kubernetes/core/v1/namespace";
import type { ReleaseArgs } from "@pulumi/kubernetes/helm/v3/release";
import type * as pulumi from "@pulumi/pulumi";
import type { Transform } from "../../core/transform";
import { kubePrometheusStackChart } from "../../core/versions";
import type { JsonObject } from "../../gpu/operator/values";

export interface MonitoringArgs {
  /**
   * One exact version of the chart, of the 88 series: values of others have not been read.
   * @default "88.5.3" - see components/core/versions.ts
   */
  readonly chartVersion?: string;
  /**
   * Namespace that the component makes for the chart.
   * @default "monitoring" - where GpuAlerts and GpuDashboard put theirs
   */
  readonly namespace?: string;
  /**
   * Chart repository, https.
   * @default "https://prometheus-community.github.io/helm-charts" - the project's own; a mirror saves a lab from its
   *   outages
   */
  readonly repository?: string;
  /**
   * Labels of the nodes that carry everything but the node exporter. `{ tier: "primary" }` are the nodes of a
   * SystemNodeGroup; on a GPU node what was measured would end with the session.
   * @default {} - any node without a taint: what nodes a cluster has is for its owner to say
   */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Whether Grafana comes along. @default true - the dashboard shows what an alert is about */
  readonly grafana?: boolean;
  /** Whether Alertmanager comes along. @default true - it groups alerts; without a receiver it shows them and no more */
  readonly alertmanager?: boolean;
  /**
   * How long metrics are kept, in hours: 3 to 360.
   * @default 24 - a day of lab sessions; all is lost with the pod, which has no persistent volume
   */
  readonly retentionHours?: number;
  /**
   * How much disk of its node the metrics take at most, in GiB: 1 to 20. The pod is evicted at twice that.
   * @default 2 - a day of a dozen nodes
   */
  readonly retentionGiB?: number;
  /**
   * Labels of nodes that become labels of `kube_node_labels`, beside those that the alerts join on.
   * @default [] - those are enough
   */
  readonly nodeLabels?: readonly string[];
  /**
   * Values of the chart, laid over the component's own. What would keep the alerts from seeing, or a password in the
   * open, is refused.
   * @default none - the arguments above cover the labs
   */
  readonly values?: JsonObject;
  /**
   * How long Helm waits for the chart's own pods, in seconds: 60 to 3600. Prometheus and Alertmanager, which the
   * operator makes later, are not waited for.
   * @default 900 - a fresh node pulls all images first
   */
  readonly timeoutSeconds?: number;
  /**
   * The cluster: goes with it on destroy, without asking an API server that may be gone.
   * @default none - uninstalled by Helm
   */
  readonly cluster?: pulumi.Resource;
  /** Adjusts the underlying resources. @default none - they are made as described */
  readonly transform?: MonitoringTransform;
}

/** Adjusts each underlying resource before it is made. */
export interface MonitoringTransform {
  readonly namespace?: Transform<NamespaceArgs>;
  readonly release?: Transform<ReleaseArgs>;
}

export const monitoringDefaults = {
  chartVersion: kubePrometheusStackChart.version,
  namespace: "monitoring",
  repository: kubePrometheusStackChart.repository,
  nodeSelector: {},
  grafana: true,
  alertmanager: true,
  retentionHours: 24,
  retentionGiB: 2,
  nodeLabels: [],
  timeoutSeconds: 900,
} as const;
