import { describe, expect, test } from "vitest";
import type { AlertRule } from "../../../../components/observe/alerts/alert-rule";
import { gpuAlertGroups, rulesFile } from "../../../../components/observe/alerts/gpu-alert-rules";
import { complaintsOf, hasPromtool, type ExpectedAlert, type Moment, type Series } from "../promtool";
import { seenTwice } from "./series";

const alerts = new Map<string, AlertRule>(
  gpuAlertGroups().flatMap(({ rules }) => rules.map((rule) => [rule.name, rule] as const)),
);
export const alertNames = [...alerts.keys()];
const rules = rulesFile();

/** An alert that fires: its name, its labels, and the value of its expression. */
export type Firing = readonly [alert: string, labels: Readonly<Record<string, string>>, value?: number];

/** A scenario: what is seen, and what fires when. All other alerts must be silent at those times. */
export type Scenario = readonly [
  name: string,
  series: Series,
  moments: readonly (readonly [at: string, ...Firing[]])[],
];

const byOne = ["by one", (series: Series) => series] as const;
const byTwo = ["by two", seenTwice] as const;

/** The alerts that a scenario has raised while one replica of kube-state-metrics reported. */
const raisedByOne = new Set<string>();

/**
 * Two replicas of kube-state-metrics report all that one reports, and are the harder case. The first scenario in which an
 * alert fires is also seen by one.
 */
export function promtoolTable(title: string, scenarios: readonly Scenario[]): void {
  describe.for(scenarios)(`${title}: %s`, ([, series, moments]) => {
    const expected = moments.map(([at, ...firing]): Moment => ({ at, firing: firing.map(asExpected) }));
    const raised = expected.flatMap(({ firing }) => firing.map(({ alert }) => alert));
    const isFirst = raised.some((alert) => !raisedByOne.has(alert));
    for (const alert of raised) raisedByOne.add(alert);
    test.skipIf(!hasPromtool).for(isFirst ? [byOne, byTwo] : [byTwo])("seen %s", ([, seenBy]) =>
      expect(complaintsOf(rules, alertNames, seenBy(series), expected)).toBe(""),
    );
  });
}

function asExpected([alert, labels, value = 1]: Firing): ExpectedAlert {
  const rule = alerts.get(alert);
  if (!rule) throw new Error(`there is no alert ${alert}`);
  const annotations = {
    summary: filledIn(rule.summary, labels, value),
    description: filledIn(rule.description, labels, value),
  };
  return { alert, labels: { severity: rule.severity, ...labels }, annotations };
}

/** Fills in a template. A label that the alert does not have would be empty in the notification. */
function filledIn(template: string, labels: Readonly<Record<string, string>>, value: number): string {
  return template
    .replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => {
      const label = labels[name];
      if (label === undefined) throw new Error(`${template} names the label ${name}, which the alert has not`);
      return label;
    })
    .replaceAll("{{ $value }}", String(value))
    .replaceAll('{{ printf "%.0f" $value }}', value.toFixed(0));
}
