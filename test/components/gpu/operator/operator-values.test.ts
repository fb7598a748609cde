import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { chartKeys } from "../../../../components/gpu/operator/custom-values";
import { gpuOperatorChart } from "../../../../components/core/versions";
import { gpuHealthEngines } from "../../../../components/gpu/health/gpu-health";
import { gpuOperatorDefaults } from "../../../../components/gpu/operator/gpu-operator-schema";
import { operatorValues, type OperatorSettings } from "../../../../components/gpu/operator/operator-values";
import { isRecord } from "../../../../components/core/reader/records";
import { valueAt } from "../../../../components/core/reader/paths";
import type { JsonObject } from "../../../../components/gpu/operator/values";
import type { Taint } from "../../../../components/nodes/scheduling/taints";
import chart from "../../../fixtures/gpu-operator-v26.3.1-value-keys.json";

const defaults: OperatorSettings = gpuOperatorDefaults;
const gpuToleration = { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" };

test("the values of the defaults", () => {
  expect(operatorValues(defaults)).toEqual({
    driver: { enabled: false },
    toolkit: { enabled: false },
    cdi: { nriPluginEnabled: false },
    nfd: { enabled: true },
    operator: { nodeSelector: {} },
    "node-feature-discovery": {
      master: { nodeSelector: {} },
      gc: { nodeSelector: {} },
      worker: { tolerations: [gpuToleration] },
    },
    daemonsets: { tolerations: [gpuToleration] },
    devicePlugin: { enabled: true },
    dcgm: { enabled: false },
    dcgmExporter: {
      enabled: true,
      serviceMonitor: { enabled: false },
      env: [{ name: "DCGM_REMOTE_HOSTENGINE_INFO", value: "localhost:5555" }],
      hostNetwork: true,
    },
    migManager: { enabled: false },
    validator: { plugin: { env: [{ name: "WITH_WORKLOAD", value: "true" }] } },
  });
});

describe("what a setting changes", () => {
  test.each<[string, Partial<OperatorSettings>, string, unknown]>([
    ["no device plugin", { devicePlugin: false }, "devicePlugin", { enabled: false }],
    ["no exporter", { dcgmExporter: false }, "dcgmExporter.enabled", false],
    ["a ServiceMonitor", { serviceMonitor: true }, "dcgmExporter.serviceMonitor", { enabled: true }],
    ["no workload", { validatorWorkload: false }, "validator.plugin.env", [{ name: "WITH_WORKLOAD", value: "false" }]],
    ["MIG", { migCapable: true }, "mig", { strategy: "single" }],
    ["MIG manager", { migCapable: true }, "migManager", { enabled: true }],
    ["mixed MIG", { migCapable: true, migStrategy: "mixed" }, "mig", { strategy: "mixed" }],
    ["no MIG", { migCapable: false, migStrategy: "mixed" }, "mig", undefined],
    ["no search for MIG", { migCapable: false, migStrategy: "none" }, "mig", { strategy: "none" }],
    ["the operator's engine", { health: "operator" }, "dcgm", { enabled: true }],
    ["the operator's engine", { health: "operator" }, "dcgmExporter.hostNetwork", undefined],
    ["no engine of its own", { health: "off" }, "dcgm", { enabled: false }],
    ["other system nodes", { controllerNodeSelector: { role: "infra" } }, "operator.nodeSelector", { role: "infra" }],
  ])("%s: %j", (_, settings, path, value) => {
    expect(valueAt(operatorValues({ ...defaults, ...settings }), path.split("."))).toEqual(value);
  });

  test("every part that runs on GPU nodes tolerates every GPU taint", () => {
    const taints: Taint[] = [
      { key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" },
      { key: "reserved", effect: "NO_EXECUTE" },
    ];
    const tolerations = [gpuToleration, { key: "reserved", operator: "Exists", effect: "NoExecute" }];
    const values = operatorValues({ ...defaults, taints });
    expect(valueAt(values, ["daemonsets", "tolerations"])).toEqual(tolerations);
    expect(valueAt(values, ["node-feature-discovery", "worker", "tolerations"])).toEqual(tolerations);
    expect(valueAt(values, ["operator", "tolerations"])).toBeUndefined();
  });
});

describe("shared GPUs", () => {
  const pluginOf = (settings: Partial<OperatorSettings>) =>
    valueAt(operatorValues({ ...defaults, ...settings }), ["devicePlugin", "config"]) as {
      data: Record<string, string>;
    };

  test.each([
    [
      { timeSlicing: { replicas: 4 } },
      "time-slicing-4",
      { timeSlicing: { failRequestsGreaterThanOne: true, resources: [{ name: "nvidia.com/gpu", replicas: 4 }] } },
    ],
    [{ mps: { replicas: 10 } }, "mps-10", { mps: { resources: [{ name: "nvidia.com/gpu", replicas: 10 }] } }],
  ])("%j", (settings, name, sharing) => {
    const config = pluginOf(settings);
    expect(config).toMatchObject({ create: true, name: "gpu-sharing", default: name });
    expect(Object.keys(config.data)).toEqual([name]);
    expect(load(config.data[name] ?? "")).toEqual({ version: "v1", sharing });
  });

  test("another number is another name, for the operator to notice", () => {
    expect(pluginOf({ timeSlicing: { replicas: 4 } })).not.toMatchObject({
      default: valueAt(pluginOf({ timeSlicing: { replicas: 5 } }), ["default"]),
    });
  });
});

test("free-form values come last", () => {
  const values: JsonObject = {
    gfd: { enabled: false },
    devicePlugin: { version: "v0.19.3" },
    validator: { plugin: { env: [] } },
  };
  const made = operatorValues({ ...defaults, values });
  expect(made).toMatchObject({ gfd: { enabled: false }, devicePlugin: { enabled: true, version: "v0.19.3" } });
  expect(valueAt(made, ["validator", "plugin", "env"])).toEqual([]);
});

describe("the chart", () => {
  const known = new Set([...chart.keys, ...Object.keys(chart.readByTemplates)]);
  const open = [...chart.openMaps, ...Object.keys(chart.readByTemplates)];

  /** Paths down to values and lists; a map without fixed keys contains the user's values. */
  function pathsOf(values: unknown, above = ""): string[] {
    if (!isRecord(values) || open.includes(above)) return [above];
    return Object.entries(values).flatMap(([key, value]) => pathsOf(value, above === "" ? key : `${above}.${key}`));
  }

  const yesOrNo = [true, false];
  const combinations: OperatorSettings[] = yesOrNo.flatMap((devicePlugin) =>
    yesOrNo.flatMap((dcgmExporter) =>
      yesOrNo.flatMap((serviceMonitor) =>
        yesOrNo.flatMap((migCapable) =>
          gpuHealthEngines.flatMap((health) =>
            [{}, { timeSlicing: { replicas: 2 } }, { mps: { replicas: 2 } }].map((shares) => ({
              ...defaults,
              ...{ devicePlugin, dcgmExporter, serviceMonitor, migCapable, health, ...shares },
            })),
          ),
        ),
      ),
    ),
  );

  test("has every key that is ever written", () => {
    const written = new Set(combinations.flatMap((settings) => pathsOf(operatorValues(settings))));
    expect([...written].filter((path) => !known.has(path))).toEqual([]);
    expect(written).toContain("devicePlugin.config.data");
    expect(written).toContain("mig.strategy");
  });

  test("driver, toolkit and NRI are off in every combination", () => {
    for (const settings of combinations) {
      expect(operatorValues(settings)).toMatchObject({
        driver: { enabled: false },
        toolkit: { enabled: false },
        cdi: { nriPluginEnabled: false },
      });
    }
  });

  test("has the keys at its top level that custom values may have", () => {
    const ofEveryChart = ["fullnameOverride", "nameOverride", "global"];
    const keys = Object.keys(chartKeys(gpuOperatorChart.version)).filter((key) => !ofEveryChart.includes(key));
    expect(keys.sort()).toEqual(chart.keys.filter((key) => !key.includes(".")).sort());
  });

  test.each([
    ["v25.10.1", ["extraObjects", "kataSandboxDevicePlugin"], false],
    ["v26.7.0", ["clusterPolicy", "draDriver", "gpuCluster"], true],
    ["v26.3.1", ["clusterPolicy", "draDriver", "gpuCluster"], false],
  ])("%s with %j: %s", (version, keys, has) => {
    for (const key of keys) expect(Object.keys(chartKeys(version)).includes(key)).toBe(has);
  });
});
