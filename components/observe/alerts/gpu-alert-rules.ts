import { dump } from "js-yaml";
import { resolveArgs } from "../../core/schema";
import type { AlertGroup, AlertRule } from "./alert-rule";
import { rulesFileSettings, type GpuAlertSettings } from "./alert-settings";
import { costAlerts } from "./cost";
import { devicePluginAlerts } from "./device-plugin";
import { monitoringAlerts } from "./monitoring";
import { nodeHealthAlerts } from "./node-health";
import { operatorAlerts } from "./operator";
import { rolloutAlerts } from "./rollout";
import { runtimeAlerts } from "./runtime";
import { servingAlerts } from "./serving";

const themes = [
  devicePluginAlerts,
  operatorAlerts,
  nodeHealthAlerts,
  runtimeAlerts,
  costAlerts,
  rolloutAlerts,
  servingAlerts,
  monitoringAlerts,
];

/** The name of an alert. */
export type AlertName = ReturnType<(typeof themes)[number]>["rules"][number]["name"];

/**
 * Every alert, by theme.
 *
 * @throws InputError with every problem of the settings
 */
export function gpuAlertGroups(given: GpuAlertSettings = {}): AlertGroup[] {
  const settings = resolveArgs("GPU alerts", rulesFileSettings, given);
  return themes.map((alerts) => alerts(settings));
}

/** A group of rules in the form of Prometheus and of the PrometheusRule resource. */
interface PrometheusGroup {
  readonly name: string;
  readonly rules: readonly {
    readonly alert: string;
    readonly expr: string;
    readonly for: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  }[];
}

/** `groups` of a rules file, and `spec.groups` of a PrometheusRule. */
export function prometheusGroups(settings: GpuAlertSettings = {}): PrometheusGroup[] {
  return gpuAlertGroups(settings).map(({ name, rules }) => ({
    name,
    rules: rules.map((rule) => prometheusRule(rule, settings.runbookBaseUrl)),
  }));
}

function prometheusRule(rule: AlertRule, base: string | undefined): PrometheusGroup["rules"][number] {
  const { name, expr, severity, summary, description } = rule;
  const link = base !== undefined && { runbook_url: `${base}/alerts.md#${anchorOf(rule)}` };
  const annotations = { summary, description, ...link };
  return { alert: name, expr, for: rule.for, labels: { severity }, annotations };
}

/** The anchor of an alert in docs/alerts.md. */
export function anchorOf({ name }: AlertRule): string {
  return name.toLowerCase();
}

/**
 * All alerts as a rules file, for a Prometheus without the Prometheus Operator. Check it with `promtool check rules`.
 *
 * @throws InputError with every problem of the settings
 */
export function rulesFile(settings: GpuAlertSettings = {}): string {
  return dump({ groups: prometheusGroups(settings) }, { lineWidth: -1, noRefs: true });
}
