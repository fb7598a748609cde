import type { NamespaceArgs } from "@pulumi/kubernetes/core/v1/namespace";
import type { ReleaseArgs } from "@pulumi/kubernetes/helm/v3/release";
import * as v from "valibot";
import { chartRepository, chartVersion, installTimeout } from "../../core/helm-chart";
import { labels, newNamespace, qualifiedName } from "../../core/kubernetes-names";
import { clusterResource } from "../../core/options";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, type GivenOf } from "../../core/schema";
import { transformOf, type Transform } from "../../core/transform";
import { kubePrometheusStackChart as chart } from "../../core/versions";
import type { Json, JsonObject } from "../../gpu/operator/values";
import { monitoringValuesProblems } from "./monitoring-custom-values";

/** Settings of the monitoring that do not depend on the cluster. */
export const monitoringSettings = s.section({
  /**
   * One exact version of the chart, of the same series as the pinned version.
   *
   * @default the pinned version - see components/core/versions.ts
   * @change in place, 1 to 5 min - Helm upgrades the release. Prometheus loses its metrics if its pod is replaced.
   */
  chartVersion: s.optional(v.pipe(chartVersion(chart), s.check(seriesProblems)), chart.version),
  /**
   * Namespace that the component creates for the chart.
   *
   * @default "monitoring" - where GpuAlerts and GpuDashboard create their objects
   * @change replaced, 5 to 10 min - The old release is uninstalled with its metrics, then the new one is installed.
   */
  namespace: s.optional(newNamespace("monitoring"), "monitoring"),
  /**
   * Chart repository, https.
   *
   * @default "https://prometheus-community.github.io/helm-charts" - the project's repository; a mirror protects a lab
   * from its outages
   * @change in place, 1 to 5 min - The objects stay the same if the chart does.
   */
  repository: s.optional(chartRepository(chart), chart.repository),
  /**
   * Whether Grafana is installed.
   * @default true - the dashboard shows what an alert is about
   * @change in place, 1 to 5 min - Installs or removes Grafana, with the changes that users made in it.
   */
  grafana: s.optional(s.flag(), true),
  /**
   * Whether Alertmanager is installed.
   *
   * @default true - Alertmanager groups alerts; without a receiver it only shows them
   * @change in place, 1 to 5 min - Installs or removes Alertmanager, with its silences.
   */
  alertmanager: s.optional(s.flag(), true),
  /**
   * How long metrics are kept, in hours: 3 to 360.
   *
   * @default 24 - a day of lab sessions; without a persistent volume all metrics are lost with the pod
   * @change in place, 1 to 5 min - Prometheus restarts, and loses its metrics.
   */
  retentionHours: s.optional(s.wholeNumber({ min: 3, max: 360, unit: "hours" }), 24),
  /**
   * Maximum size of the metrics on the node's disk, in GiB: 1 to 20. The pod is evicted at twice that.
   *
   * @default 2 - a day of a dozen nodes
   * @change in place, 1 to 5 min - Prometheus restarts, and loses its metrics.
   */
  retentionGiB: s.optional(s.wholeNumber({ min: 1, max: 20, unit: "GiB" }), 2),
  /**
   * Labels of nodes that become labels of `kube_node_labels`, in addition to those that the alerts join on. Each must
   * be a full name, because kube-state-metrics exports every label for `*`.
   *
   * @default [] - the alerts and the dashboard need no other labels
   * @change in place, 1 to 5 min - The pod of kube-state-metrics restarts.
   */
  nodeLabels: s.optional(s.list(qualifiedName(), '["example.com/team"]'), []),
  /**
   * Values of the chart, merged over the component's own. Values that would silence the alerts, and passwords, are
   * rejected.
   *
   * @default none - the other arguments cover the labs
   * @change in place, 1 to 5 min - A preview shows the objects that Helm changes.
   */
  values: s.optional(
    v.pipe(
      s.mapOf(s.anything<Json>(), "{ grafana: { enabled: false } }"),
      s.check((values: JsonObject, at) => monitoringValuesProblems(values, at)),
    ),
  ),
  /**
   * How long Helm waits for the chart's own pods, in seconds: 60 to 3600. It does not wait for Prometheus and
   * Alertmanager, which the operator creates later.
   *
   * @default 900 - a fresh node pulls all images first
   * @change in place, 1 to 5 min - Nothing restarts.
   */
  timeoutSeconds: s.optional(installTimeout(), 900),
});

function seriesProblems(got: string, path: string): Problem[] {
  const [series = ""] = chart.version.split(".");
  if (got.replace(/^v/, "").startsWith(`${series}.`)) return [];
  const why = `This library writes values of the ${series} series. Another series may use other keys, and Helm silently ignores unknown keys.`;
  const fix = `set ${path} to "${chart.version}" or a later version of its series, or use transform.release`;
  return [{ code: "version", path, got, why, fix }];
}

/** Adjusts each underlying resource before it is created. */
export interface MonitoringTransform {
  readonly namespace?: Transform<NamespaceArgs>;
  readonly release?: Transform<ReleaseArgs>;
}

const monitoringTransform = transformOf<MonitoringTransform>({ namespace: true, release: true });

/** Arguments of a Monitoring. */
export const monitoring = s.section({
  ...monitoringSettings.entries,
  /**
   * Labels of the nodes that run everything except the node exporter. `{ tier: "primary" }` selects the nodes of a
   * SystemNodeGroup; on a GPU node the metrics would be lost at the end of the session.
   *
   * @default {} - any node without a taint: the component does not know the cluster's nodes
   */
  nodeSelector: s.optional(labels('{ tier: "primary" }'), {}),
  /**
   * The cluster: on destroy, the release is deleted with the cluster, without a call to an API server that may be gone.
   *
   * @default none - Helm uninstalls the release
   */
  cluster: s.optional(clusterResource()),
  /** Adjusts the underlying resources. @default none - none is adjusted */
  transform: s.optional(monitoringTransform),
});

export const monitoringDefaults = defaultsOf(monitoring);

export interface MonitoringArgs extends Readonly<GivenOf<typeof monitoring>> {}

/** Every problem in the arguments of a Monitoring. `at` is the prefix of the paths. */
export function monitoringProblems(args: MonitoringArgs, at = ""): readonly Problem[] {
  return problemsIn(monitoring, args, at);
}
