import { join, onlyKeys } from "../../core/checks";
import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { valueAt } from "../../gpu/operator/values";
import { firewallRules, trafficModes } from "../../network/firewall/firewall-rules";
import { labelsLeftOut } from "./node-labels";

type Values = Readonly<Record<string, unknown>>;

/**
 * Keys at the top level of the chart's values. Helm ignores one that a chart does not know without a word.
 * @see https://github.com/prometheus-community/helm-charts/blob/kube-prometheus-stack-88.5.3/charts/kube-prometheus-stack/values.yaml 2026-08-21
 */
const sections = (
  "commonLabels crds customRules defaultRules additionalPrometheusRulesMap global windowsMonitoring " +
  "prometheus-windows-exporter alertmanager grafana kubernetesServiceMonitors kubeApiServer kubelet " +
  "kubeControllerManager coreDns kubeDns kubeEtcd kubeScheduler kubeProxy kubeStateMetrics kube-state-metrics " +
  "nodeExporter prometheus-node-exporter prometheusOperator prometheus thanosRuler"
).split(" ");
const plainKeys = (
  "nameOverride namespaceOverride kubeTargetVersionOverride kubeVersionOverride fullnameOverride " +
  "additionalPrometheusRules cleanPrometheusOperatorObjectNames extraManifests"
).split(" ");

/** Everything that is wrong with free-form values for the chart. */
export function monitoringValuesProblems(values: unknown, at: string): Problem[] {
  if (isOutput(values)) return requirePlainValue(at);
  if (!isRecord(values)) {
    const fix = `set ${at} to an object such as { grafana: { enabled: false } }`;
    return [{ code: "wrong-type", path: at, got: values, why: "It must hold the chart's values by key.", fix }];
  }
  const why = "The chart has no such key, and Helm would ignore it without a word.";
  const shown = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, isRecord(value) ? {} : value]));
  return [
    ...onlyKeys(at, shown, [...sections, ...plainKeys], {}, why),
    ...wrongSections(values, at),
    ...guards.flatMap((guard) => broken(guard, values, at)),
  ];
}

/** A section that is not an object would erase what the component writes below it. */
function wrongSections(values: Values, at: string): Problem[] {
  return Object.entries(values)
    .filter(([key, got]) => sections.includes(key) && !isRecord(got))
    .map(([key, got]) => {
      const path = join(at, key);
      const why = "The chart has an object here, and anything else would erase it.";
      return { code: "wrong-type", path, got, why, fix: `state single keys below ${path}` };
    });
}

/** A value that must be left as it is. */
interface Guard {
  readonly paths: readonly string[];
  /** Whether a value that is stated does no harm. */
  readonly isFine: (got: unknown) => boolean;
  readonly why: string;
  /** Completes "fix: …" where removing it is not the best. */
  readonly fix?: string;
  /** Never shown. */
  readonly isSecret?: boolean;
}

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

const under = (prefix: string, names: string) => names.split(" ").map((name) => `${prefix}.${name}`);

const guards: readonly Guard[] = [
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
    isFine: isRecord,
    why: "The chart has an object here, and anything else would erase it.",
  },
  {
    paths: ["kube-state-metrics.metricLabelsAllowlist"],
    isFine: (got) => Array.isArray(got) && labelsLeftOut(got).length === 0,
    why: "Without the labels nvidia.com/gpu.present and nvidia.com/gpu of nodes the alerts know no GPU node, and are silent.",
    fix: "remove it, and add labels with nodeLabels",
  },
  {
    paths: ["kube-state-metrics.collectors"],
    isFine: (got) => Array.isArray(got) && neededCollectors.every((name) => got.includes(name)),
    why: `The alerts read ${neededCollectors.join(", ")}.`,
  },
  {
    paths: under("kube-state-metrics", "metricAllowlist metricDenylist namespaces namespacesDenylist"),
    isFine: isEmpty,
    why: "It keeps metrics away that the alerts read.",
  },
  {
    paths: [
      "kubeStateMetrics.enabled",
      "kube-state-metrics.prometheus.monitor.enabled",
      "kube-state-metrics.prometheus.monitor.http.honorLabels",
    ],
    isFine: isTrue,
    why: "The alerts read kube-state-metrics, with the labels that it gives.",
  },
  {
    paths: ["prometheus.enabled", "prometheusOperator.enabled", "crds.enabled", "kubernetesServiceMonitors.enabled"],
    isFine: isTrue,
    why: "Nothing would read the rules and monitors of this library.",
  },
  {
    paths: [
      "prometheus.agentMode",
      ...under("prometheus.prometheusSpec", "overrideHonorLabels disableAlerting ignoreNamespaceSelectors paused"),
    ],
    isFine: isFalse,
    why: "The alerts would not be raised, or not find the labels that they join on.",
  },
  {
    paths: ["rule", "serviceMonitor", "podMonitor"].map(
      (what) => `prometheus.prometheusSpec.${what}SelectorNilUsesHelmValues`,
    ),
    isFine: isFalse,
    why: "Prometheus would take none but the chart's own, and not those of the GPU Operator and of this library.",
  },
  {
    paths: ["rule", "serviceMonitor", "podMonitor"].flatMap((what) =>
      under("prometheus.prometheusSpec", `${what}Selector ${what}NamespaceSelector`),
    ),
    isFine: isEmpty,
    why: "Prometheus would take none but those that match, and not those of the GPU Operator and of this library.",
  },
  {
    paths: under("prometheusOperator", "namespaces denyNamespaces prometheusInstanceNamespaces"),
    isFine: isEmpty,
    why: "The operator must see rules and monitors in every namespace.",
  },
  {
    paths: ["prometheusOperator.tls.internalPort", "prometheusOperator.admissionWebhooks.deployment.tls.internalPort"],
    isFine: (got) => typeof got === "number" && webhookPorts.includes(got),
    why: `The node firewall lets the control plane through to webhooks on ${webhookPorts.join(", ")} alone.`,
  },
  {
    paths: under("grafana.sidecar.dashboards", "enabled"),
    isFine: isTrue,
    why: "The sidecar brings GpuDashboard into Grafana.",
  },
  {
    paths: ["grafana.sidecar.dashboards.label"],
    isFine: (got) => got === "grafana_dashboard",
    why: "GpuDashboard has the label grafana_dashboard.",
  },
  {
    paths: ["grafana.adminPassword", "grafana.env.GF_SECURITY_ADMIN_PASSWORD"],
    isFine: never,
    isSecret: true,
    why: "It would stand in every plan and in the state. Without it the chart makes a password and keeps it in a Secret.",
    fix: "remove it, or name a Secret of yours with grafana.admin.existingSecret",
  },
  {
    paths: under("kubeControllerManager", "enabled")
      .concat(under("kubeScheduler", "enabled"))
      .concat(under("kubeEtcd", "enabled")),
    isFine: isFalse,
    why: "EKS runs it where nobody can scrape it, and the chart's alert that it is gone would fire for ever.",
  },
  {
    paths: ["nameOverride", "fullnameOverride", "namespaceOverride"],
    isFine: isEmpty,
    why: "The commands of this component name the chart's objects as they are without it.",
  },
];

function broken({ paths, isFine, why, fix, isSecret }: Guard, values: Values, at: string): Problem[] {
  return paths.flatMap((path) => {
    const got = valueAt(values, path.split("."));
    if (got === undefined || isFine(got)) return [];
    const full = join(at, path);
    const shown = isSecret ? "a text" : got;
    return [{ code: "not-allowed" as const, path: full, got: shown, why, fix: fix ?? `remove ${full}` }];
  });
}
