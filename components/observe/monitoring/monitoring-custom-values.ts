import { customValuesProblems, type ChartKeys, type ProtectedValue } from "../../core/chart-values";
import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { firewallRules, trafficModes } from "../../network/firewall/firewall-rules";
import chart from "../../vendor/kube-prometheus-stack-values.json";
import { labelsLeftOut } from "./node-labels";

const isTrue = (got: unknown) => got === true;
const isFalse = (got: unknown) => got === false;
const isEmpty = (got: unknown) =>
  got === null ||
  got === "" ||
  (Array.isArray(got) && got.length === 0) ||
  (isRecord(got) && Object.keys(got).length === 0);
const never = () => false;

const neededCollectors = ["daemonsets", "deployments", "nodes", "pods", "replicasets"];

/** Ports on which the control plane reaches pods through the node firewall. */
const webhookPorts = firewallRules(trafficModes({})).flatMap(({ group, peer, direction, ports }) =>
  group === "node" && peer === "controlPlane" && direction === "ingress" && ports ? [ports[0]] : [],
);

const selectors = ["rule", "serviceMonitor", "podMonitor"].map((kind) => `prometheus.prometheusSpec.${kind}`);

/** Prometheus and its operator must find the rules and monitors of this library, and the alerts the metrics they need. */
const protectedValues: readonly ProtectedValue[] = [
  {
    paths: [
      "prometheus.prometheusSpec",
      "prometheusOperator.tls",
      "kube-state-metrics.prometheus",
      "kube-state-metrics.prometheus.monitor",
      "kube-state-metrics.prometheus.monitor.http",
      "grafana.sidecar",
      "grafana.sidecar.dashboards",
    ],
    allows: isRecord,
    why: "Must be an object, as in the chart; any other value removes all settings of the section.",
  },
  {
    paths: ["kube-state-metrics.metricLabelsAllowlist"],
    allows: (got) => Array.isArray(got) && labelsLeftOut(got).length === 0,
    why: "The alerts identify GPU nodes by their labels nvidia.com/gpu.present and nvidia.com/gpu; without them they never fire.",
    fix: "remove it, and add labels with nodeLabels",
  },
  {
    paths: ["kube-state-metrics.collectors"],
    allows: (got) => Array.isArray(got) && neededCollectors.every((name) => got.includes(name)),
    why: `The alerts read ${neededCollectors.join(", ")}.`,
  },
  {
    paths: ["metricAllowlist", "metricDenylist", "namespaces", "namespacesDenylist"].map(
      (key) => `kube-state-metrics.${key}`,
    ),
    allows: isEmpty,
    why: "This value removes metrics that the alerts read.",
  },
  {
    paths: [
      "kubeStateMetrics.enabled",
      "kube-state-metrics.prometheus.monitor.enabled",
      "kube-state-metrics.prometheus.monitor.http.honorLabels",
    ],
    allows: isTrue,
    why: "The alerts read the metrics of kube-state-metrics with their own labels.",
  },
  {
    paths: ["prometheus.enabled", "prometheusOperator.enabled", "crds.enabled", "kubernetesServiceMonitors.enabled"],
    allows: isTrue,
    why: "Without this part of the chart, nothing reads the rules and monitors of this library.",
  },
  {
    paths: [
      "prometheus.agentMode",
      "prometheus.prometheusSpec.overrideHonorLabels",
      "prometheus.prometheusSpec.disableAlerting",
      "prometheus.prometheusSpec.ignoreNamespaceSelectors",
      "prometheus.prometheusSpec.paused",
    ],
    allows: isFalse,
    why: "This value stops the alerts, or changes the labels that the alerts join on.",
  },
  {
    paths: selectors.map((selector) => `${selector}SelectorNilUsesHelmValues`),
    allows: isFalse,
    why: "Prometheus would read only the chart's own rules and monitors, not those of the GPU Operator and this library.",
  },
  {
    paths: selectors.flatMap((selector) => [`${selector}Selector`, `${selector}NamespaceSelector`]),
    allows: isEmpty,
    why: "Prometheus would read only matching rules and monitors, not those of the GPU Operator and this library.",
  },
  {
    paths: ["namespaces", "denyNamespaces", "prometheusInstanceNamespaces"].map((key) => `prometheusOperator.${key}`),
    allows: isEmpty,
    why: "The operator must read rules and monitors in every namespace.",
  },
  {
    paths: ["prometheusOperator.tls.internalPort", "prometheusOperator.admissionWebhooks.deployment.tls.internalPort"],
    allows: (got) => typeof got === "number" && webhookPorts.includes(got),
    why: `The node firewall allows the control plane to reach webhooks only on the ports ${webhookPorts.join(", ")}.`,
  },
  {
    paths: ["grafana.sidecar.dashboards.enabled"],
    allows: isTrue,
    why: "The sidecar loads GpuDashboard into Grafana.",
  },
  {
    paths: ["grafana.sidecar.dashboards.label"],
    allows: (got) => got === "grafana_dashboard",
    why: "GpuDashboard has the label grafana_dashboard.",
  },
  {
    paths: ["grafana.adminPassword", "grafana.env.GF_SECURITY_ADMIN_PASSWORD"],
    allows: never,
    isSecret: true,
    why: "Plans and the state would contain the password. By default, the chart creates a password and stores it in a Secret.",
    fix: "remove it, or set grafana.admin.existingSecret to the name of your Secret",
  },
  {
    paths: ["kubeControllerManager.enabled", "kubeScheduler.enabled", "kubeEtcd.enabled"],
    allows: isFalse,
    why: "EKS runs this component outside the cluster. Prometheus cannot scrape it, and the chart's alert on its absence would never stop.",
  },
  {
    paths: ["nameOverride", "fullnameOverride", "namespaceOverride"],
    allows: isEmpty,
    why: "The commands of this component use the default names of the chart's objects.",
  },
];

/** The problems of custom values for the chart of the monitoring stack. */
export function monitoringValuesProblems(values: unknown, at: string): Problem[] {
  return customValuesProblems(values, at, {
    chart: "The chart",
    keys: chart.keys as ChartKeys,
    hasAllKeys: true,
    protected: protectedValues,
    arguments: {},
    example: "{ grafana: { enabled: false } }",
  });
}
