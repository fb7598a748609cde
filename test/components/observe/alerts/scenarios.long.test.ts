import { expect, test } from "vitest";
import { devicePlugin } from "./scenarios/device-plugin";
import { hardware, xidAlerts } from "./scenarios/hardware";
import { monitoring } from "./scenarios/monitoring";
import { theOperator } from "./scenarios/operator";
import { serving } from "./scenarios/serving";
import { betweenNodes, money, runs, waiting } from "./scenarios/workloads";
import { operator } from "./cluster-series";
import { alertNames, promtoolTable } from "./promtool-table";
import { selector } from "./series";

const tables = {
  "device plugin": devicePlugin,
  operator: theOperator,
  hardware,
  XIDs: xidAlerts,
  money,
  waiting,
  runs,
  "between nodes": betweenNodes,
  monitoring,
  serving,
};
for (const [title, scenarios] of Object.entries(tables)) promtoolTable(title, scenarios);

test("every alert fires in some scenario", () => {
  const fired = Object.values(tables).flatMap((scenarios) =>
    scenarios.flatMap(([, , moments]) => moments.flatMap(([, ...firing]) => firing.map(([alert]) => alert))),
  );
  expect([...new Set(fired)].sort()).toEqual([...alertNames].sort());
});

test("a metric of the operator carries the namespace by which the alerts find it", () => {
  expect(Object.keys(operator())).toContain(
    selector("gpu_operator_reconciliation_status", {
      namespace: "gpu-operator",
      job: "gpu-operator",
      pod: "gpu-operator-5d4f",
      endpoint: "gpu-operator-metrics",
    }),
  );
});
