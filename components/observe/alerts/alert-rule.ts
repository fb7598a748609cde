/** How urgent an alert is: `page` notifies the person on call, `ticket` waits for the next working day. */
export type AlertSeverity = "page" | "ticket";

/** A duration in Prometheus' notation. */
type PromDuration = `${number}${"s" | "m" | "h"}`;

/** An alert on one failure. */
export interface AlertRule<Name extends string = string> {
  /** In upper camel case; it is the heading of its documentation too. */
  readonly name: Name;
  /** PromQL; each series of its result is one alert. */
  readonly expr: string;
  /** How long the expression must be true: longer than a short interruption such as a restart, or "0m" for an event. */
  readonly for: PromDuration;
  readonly severity: AlertSeverity;
  /** One line. The template may contain labels of the expression, as `{{ $labels.node }}`, and `{{ $value }}`. */
  readonly summary: string;
  /** What the alert means, and its consequences; a template too. */
  readonly description: string;
  /** What to do, step by step, in the imperative. */
  readonly steps: readonly string[];
  /** The lab that injects the failure. */
  readonly lab?: string;
}

/** An alert; its name becomes one of AlertName. */
export function alertRule<Name extends string>(rule: AlertRule<Name>): AlertRule<Name> {
  return rule;
}

/** Alerts on one theme. Prometheus evaluates the rules of a group in sequence. */
export interface AlertGroup {
  /** Unique among the groups of a file. */
  readonly name: string;
  /** The theme in a few words. */
  readonly title: string;
  readonly rules: readonly AlertRule[];
}
