import { describe, expect, test } from "vitest";
import { gpuHealthEngines } from "../../../../components/gpu/health/gpu-health";
import { gpuOperatorDefaults } from "../../../../components/gpu/operator/gpu-operator-schema";
import { operatorValues, type OperatorSettings } from "../../../../components/gpu/operator/operator-values";
import type { JsonObject } from "../../../../components/gpu/operator/values";
import clusterPolicy from "../../../fixtures/gpu-operator-v26.3.1-cluster-policy-fields.json";
import { chartOnly, clusterPolicySpec } from "../../../support/cluster-policy";
import { faultsFinder } from "../../../support/field-table";

const specFaults = faultsFinder(clusterPolicy.fields);

const faultsOf = (settings: Partial<OperatorSettings>) =>
  specFaults(clusterPolicySpec(operatorValues({ ...gpuOperatorDefaults, ...settings })));

describe("a ClusterPolicy takes the values of", () => {
  test.for<[string, Partial<OperatorSettings>]>([
    ["the defaults", {}],
    ["no device plugin", { devicePlugin: false }],
    ["no exporter", { dcgmExporter: false }],
    ["a ServiceMonitor", { serviceMonitor: true }],
    ["no workload of the validator", { validatorWorkload: false }],
    ["time slicing", { timeSlicing: { replicas: 4 } }],
    ["MPS", { mps: { replicas: 48 } }],
    ["MIG", { migCapable: true }],
    ["mixed MIG", { migCapable: true, migStrategy: "mixed", timeSlicing: { replicas: 2 } }],
    ...gpuHealthEngines.map((health): [string, Partial<OperatorSettings>] => [`health ${health}`, { health }]),
    [
      "more taints",
      {
        taints: [
          { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" },
          { key: "team", value: "a", effect: "NO_EXECUTE" },
          { key: "spot", effect: "PREFER_NO_SCHEDULE" },
        ],
      },
    ],
    ["other system nodes", { controllerNodeSelector: { role: "infra" } }],
    [
      "free values",
      {
        values: {
          gfd: { enabled: false },
          daemonsets: { labels: { team: "a" }, updateStrategy: "OnDelete", rollingUpdate: { maxUnavailable: "1" } },
          devicePlugin: { version: "v0.19.3", env: [{ name: "PASS_DEVICE_SPECS", value: "true" }] },
          dcgmExporter: { resources: { limits: { memory: "512Mi", cpu: 1 } }, serviceMonitor: { interval: "15s" } },
        },
      },
    ],
  ])("%s", ([, settings]) => expect(faultsOf(settings)).toEqual([]));
});

describe("it refuses", () => {
  test.for<[JsonObject, string[]]>([
    [{ devicePlugin: { enbled: true } }, ["devicePlugin.enbled: there is no such key"]],
    [
      { dcgmExporter: { env: [{ nam: "A" }] } },
      ["dcgmExporter.env[0].name: is missing", "dcgmExporter.env[0].nam: there is no such key"],
    ],
    [
      { daemonsets: { tolerations: [{ operator: "Exists", effects: "NoSchedule" }] } },
      ["daemonsets.tolerations[0].effects: there is no such key"],
    ],
    [{ driver: { enabled: "false" } }, ["driver.enabled: must be boolean"]],
    [{ devicePlugin: { env: { WITH: "a" } } }, ["devicePlugin.env: must be array"]],
    [
      { validator: { plugin: { env: [{ name: "WITH_WORKLOAD", value: true }] } } },
      ["validator.plugin.env[0].value: must be string"],
    ],
    [{ mig: { strategy: "double" } }, ["mig.strategy: must be equal to one of the allowed values"]],
    [
      { dcgmExporter: { serviceMonitor: { interval: "15 s" } } },
      [expect.stringMatching(/^dcgmExporter\.serviceMonitor\.interval: must match pattern/)],
    ],
    [
      { dcgm: { resources: { limits: { memory: "1 Gbyte" } } } },
      [expect.stringMatching(/^dcgm\.resources\.limits\.memory: must match pattern/)],
    ],
    [{ driver: { startupProbe: { periodSeconds: 0 } } }, ["driver.startupProbe.periodSeconds: must be >= 1"]],
    [{ dcgm: { hostPort: "5555" } }, ["dcgm.hostPort: must be integer"]],
  ])("%j", ([values, faults]) => expect(faultsOf({ values })).toEqual(faults));
});

test("what the chart alone reads is no field, so that nothing is left out here by mistake", () => {
  const faults = specFaults(operatorValues({ ...gpuOperatorDefaults, timeSlicing: { replicas: 2 } }));
  expect(faults.sort()).toEqual(chartOnly.map((path) => `${path}: there is no such key`).sort());
});
