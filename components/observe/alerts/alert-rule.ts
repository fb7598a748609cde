import type { WithDefaults } from "../../core/defaults";
import type { gpuAlertSettingDefaults, GpuAlertSettings } from "./alert-settings";

/** What an alert asks of people: `page` wakes somebody up, `ticket` waits for the next working day. */
export type AlertSeverity = "page" | "ticket";

/** A length of time as Prometheus writes it. */
export type PromDuration = `${number}${"s" | "m" | "h"}`;

/** The name of every alert. */
export const alertNames = [
  "GpuAllocatableZeroOnGpuNode",
  "GpuNeverOfferedOnGpuNode",
  "GpuMissingOnNewNode",
  "GpuUnhealthyOnNode",
  "DevicePluginDaemonSetMissing",
  "DevicePluginDaemonSetNotFullyReady",
  "DevicePluginBelowGpuNodes",
  "GpuOperatorUnavailable",
  "GpuOperatorHasNoClusterPolicy",
  "GpuOperatorOperandsNotReady",
  "GpuOperatorPodCrashLooping",
  "GpuOperatorPodRestarting",
  "AcceleratedHardwareNotReady",
  "GpuNodeNotReady",
  "GpuNodeUnreachable",
  "GpuXidFatal",
  "GpuXidReported",
  "GpuRowRemapFailure",
  "ContainerRuntimeNotReady",
  "RuntimeSocketIsDirectory",
  "GpuNodeUpTooLong",
  "GpuNodeIdle",
  "GpuPodUnschedulable",
  "GpuRolloutDeadlock",
  "GpuDeploymentNotProgressing",
  "GpuJobFailed",
  "KubeStateMetricsDown",
  "KubeStateMetricsLabelsNotHonored",
  "GpuNodeLabelsNotMonitored",
  "DcgmExporterDown",
  "SocketWatchDown",
] as const;

export type AlertName = (typeof alertNames)[number];

/** An alert on one failure. */
export interface AlertRule {
  /** Also the heading of its documentation. */
  readonly name: AlertName;
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
  /** The lab that injects the failure. */
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
