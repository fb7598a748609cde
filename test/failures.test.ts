import { describe, expect, test } from "vitest";
import { alertNames } from "../components/observe/alerts/alert-rule";
import { gpuAlertGroups } from "../components/observe/alerts/gpu-alert-rules";
import { failures, type Failure } from "../failures";
import { lab } from "../policies/packs/lab/rules";
import { labs } from "../stacks/labs";
import { conclusionIds } from "../triage/conclusions";

const rows: readonly Failure[] = Object.values(failures).flat();
const alerts = gpuAlertGroups().flatMap(({ rules }) => rules);

describe("the catalog names everything that deals with a failure", () => {
  test.for<[Exclude<keyof Failure, "what">, readonly string[]]>([
    ["labs", Object.keys(labs)],
    ["rules", lab.rules.map(({ rule }) => rule.id)],
    ["alerts", alerts.map(({ name }) => name)],
    ["conclusions", Object.values(conclusionIds).flat()],
  ])("%s", ([column, names]) => {
    expect([...new Set<string>(rows.flatMap((row) => row[column] ?? []))].sort()).toEqual(names.toSorted());
  });
});

test("an alert that names a lab is in a row with that lab", () => {
  const apart = alerts.filter(
    ({ name, lab }) => lab && !rows.some((row) => row.labs?.some((one) => one === lab) && row.alerts?.includes(name)),
  );
  expect(apart.map(({ name }) => name)).toEqual([]);
});

test("each failure is described once, and each has a lab, a rule, an alert or a conclusion", () => {
  expect(new Set(rows.map(({ what }) => what)).size).toBe(rows.length);
  for (const row of rows) expect(Object.keys(row).length, row.what).toBeGreaterThan(1);
});

test("every alert name has an alert", () => {
  expect(alerts.map(({ name }) => name).sort()).toEqual(alertNames.toSorted());
});
