import type { WithDefaults } from "../../core/defaults";
import type { gpuAlertSettingDefaults, GpuAlertSettings } from "./alert-settings";

/** What an alert asks of people: `page` wakes somebody up, `ticket` waits for the next working day. */
export type AlertSeverity = "page" | "ticket";

/** A length of time as Prometheus writes it. */
export type PromDuration = `${number}${"s" | "m" | "h"}`;

/** An alert on one accident. */
export interface AlertRule {
  /** In the camel case that alerts are named in; it is the heading of its documentation too. */
  readonly name: string;
  /** PromQL; every series that comes back is one alert. */
  readonly expr: string;
  /** How long the expression must hold. Short dips, such as a restart, must fit in; "0m" for what happens once. */
  readonly for: PromDuration;
  readonly severity: AlertSeverity;
  /** One line. The template may name labels of the expression, as `{{ $labels.node }}`, and `{{ $value }}`. */
  readonly summary: string;
  /** What it means and what it costs; a template as well. */
  readonly description: string;
  /** What to do, step by step, in the imperative. */
  readonly steps: readonly string[];
  /** The lab that brings the accident about. */
  readonly lab?: string;
}

/** Alerts on one theme. Prometheus evaluates the rules of a group in a row. */
export interface AlertGroup {
  /** Unique among the groups of a file. */
  readonly name: string;
  /** The theme in a few words. */
  readonly title: string;
  readonly rules: readonly AlertRule[];
}

/** Settings with all defaults filled in: what expressions are made from. */
export type AlertSettings = WithDefaults<GpuAlertSettings, typeof gpuAlertSettingDefaults>;
