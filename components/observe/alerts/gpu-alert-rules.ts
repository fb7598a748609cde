import { dump } from "js-yaml";
import { isPlainObject, noObject, onlyKeys } from "../../core/checks";
import { withDefaults } from "../../core/defaults";
import { refuse, type Problem } from "../../core/problems";
import type { AlertGroup, AlertRule } from "./alert-rule";
import {
  alertSettingNames,
  gpuAlertSettingDefaults,
  gpuAlertSettingsProblems,
  type GpuAlertSettings,
} from "./alert-settings";
import { costAlerts } from "./cost";
import { devicePluginAlerts } from "./device-plugin";
import { monitoringAlerts } from "./monitoring";
import { nodeHealthAlerts } from "./node-health";
import { operatorAlerts } from "./operator";
import { rolloutAlerts } from "./rollout";
import { runtimeAlerts } from "./runtime";

/** Every alert by theme. The settings must be free of problems. */
export function gpuAlertGroups(stated: GpuAlertSettings = {}): AlertGroup[] {
  const settings = withDefaults(stated, gpuAlertSettingDefaults);
  return [
    devicePluginAlerts(settings),
    operatorAlerts(settings),
    nodeHealthAlerts(settings),
    runtimeAlerts(),
    costAlerts(settings),
    rolloutAlerts(settings),
    monitoringAlerts(settings),
  ];
}

/** A group of rules as Prometheus and the PrometheusRule resource write it. */
export interface PrometheusGroup {
  readonly name: string;
  readonly rules: readonly {
    readonly alert: string;
    readonly expr: string;
    readonly for: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  }[];
}

/** What `groups:` of a rules file holds, and `spec.groups` of a PrometheusRule. */
export function prometheusGroups(settings: GpuAlertSettings = {}): PrometheusGroup[] {
  const { runbookBaseUrl } = withDefaults(settings, gpuAlertSettingDefaults);
  return gpuAlertGroups(settings).map(({ name, rules }) => ({
    name,
    rules: rules.map((rule) => written(rule, runbookBaseUrl)),
  }));
}

function written(rule: AlertRule, base: string | undefined): PrometheusGroup["rules"][number] {
  const { name, expr, severity, summary, description } = rule;
  const link = base !== undefined && { runbook_url: `${base}/alerts.md#${anchorOf(rule)}` };
  const annotations = { summary, description, ...link };
  return { alert: name, expr, for: rule.for, labels: { severity }, annotations };
}

/** The place of an alert in its documentation. */
export function anchorOf({ name }: AlertRule): string {
  return name.toLowerCase();
}

/** Everything that is wrong with the settings of a rules file. */
export function rulesFileProblems(settings: GpuAlertSettings, at = ""): Problem[] {
  if (!isPlainObject(settings)) return noObject(at, settings);
  const given = withDefaults(settings, gpuAlertSettingDefaults);
  return [...onlyKeys(at, settings, alertSettingNames), ...gpuAlertSettingsProblems(given, at)];
}

/**
 * All alerts as a rules file, for a Prometheus that no operator manages. Check it with `promtool check rules`.
 *
 * @throws InputError with every problem of the settings
 */
export function rulesFile(settings: GpuAlertSettings = {}): string {
  refuse("GPU alerts", rulesFileProblems(settings));
  return dump({ groups: prometheusGroups(settings) }, { lineWidth: -1, noRefs: true });
}
