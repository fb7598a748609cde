import { describe, expect, test } from "vitest";
import { gpuOperatorChart } from "../../../../components/core/versions";
import { chartKeys, operatorValuesProblems } from "../../../../components/gpu/operator/custom-values";
import { gpuOperatorDefaults } from "../../../../components/gpu/operator/gpu-operator-schema";
import { operatorValues } from "../../../../components/gpu/operator/operator-values";
import chart from "../../../fixtures/gpu-operator-v26.3.1-value-keys.json";

const unknownPaths = (values: Record<string, unknown>, chartVersion?: string) =>
  operatorValuesProblems(values, { at: "values", enginePath: "health", chartVersion })
    .filter(({ code }) => code === "unknown-key")
    .map(({ path }) => path);

/** A tree with one leaf for each path of two steps. */
function valuesOf(paths: readonly string[]): Record<string, Record<string, unknown>> {
  const values: Record<string, Record<string, unknown>> = {};
  for (const path of paths) {
    const [section = "", key] = path.split(".");
    if (key !== undefined) values[section] = { ...values[section], [key]: {} };
  }
  return values;
}

test("every key of the chart's values.yaml is known", () => {
  expect(unknownPaths(valuesOf(chart.keys), "v26.3.1")).toEqual([]);
});

test("the values that the component writes are known", () => {
  expect(unknownPaths({ ...operatorValues({ ...gpuOperatorDefaults, migCapable: true }) }, "v26.3.1")).toEqual([]);
});

test("every section lists its keys, except one with the values of another chart", () => {
  const open = Object.entries(chartKeys(gpuOperatorChart.version)).filter(([, keys]) => typeof keys === "string");
  expect(Object.fromEntries(open)).toEqual({
    "node-feature-discovery": "object",
    ...{ extraObjects: "any", fullnameOverride: "any", nameOverride: "any", global: "any" },
  });
  expect(unknownPaths({ constructor: { a: 1 } }, gpuOperatorChart.version)).toEqual(["values.constructor"]);
});

/** Keys that only the templates read, or that occur only in comments of values.yaml. */
test.for([
  ["operator", "nodeSelector"],
  ["driver", "useOpenKernelModules"],
  ["driver", "args"],
  ["dcgmExporter", "config"],
  ["dcgmExporter", "hpcJobMapping"],
  ["validator", "version"],
  ["vgpuDeviceManager", "resources"],
  ["gds", "env"],
] as const)("%s.%s is known too", ([section, key]) => {
  expect(unknownPaths({ [section]: { [key]: {} } }, "v26.3.1")).toEqual([]);
});

describe("a chart of the table's series", () => {
  test.for(["v26.3.0", "26.3.1", "v26.3.3", "v26.3.4", "v26.3.4-rc.1"])("%s: any other key is refused", (version) => {
    const values = {
      devicePlugin: { enbled: false, colour: 1 },
      "node-feature-discovery": { image: {} },
      global: { a: 1 },
    };
    expect(unknownPaths(values, version)).toEqual(["values.devicePlugin.enbled", "values.devicePlugin.colour"]);
  });

  test("what lies deeper is for the chart to say", () => {
    const values = {
      devicePlugin: { env: [{ nam: "A" }], config: { dat: {} } },
      daemonsets: { labels: { team: "a" } },
      operator: { nodeSelector: { tier: "primary" } },
    };
    expect(unknownPaths(values, "v26.3.1")).toEqual([]);
  });
});

describe("a key of some series only", () => {
  test.for<[version: string | undefined, Record<string, unknown>, string[]]>([
    ["v26.7.0", { devicePlugin: { enbled: false, colour: 1 } }, ["devicePlugin.enbled", "devicePlugin.colour"]],
    ["v26.7.0", { hostPaths: { kubeletRootDir: "/" }, operator: { env: [], metrics: {} } }, []],
    [
      "v26.3.3",
      { hostPaths: { kubeletRootDir: "/" }, operator: { env: [] } },
      ["hostPaths.kubeletRootDir", "operator.env"],
    ],
    ["v26.3.1", { operator: { metrics: {} }, draDriver: {} }, ["draDriver", "operator.metrics"]],
    ["v26.3.3", { operator: { initContainer: {} }, cdi: { default: true } }, []],
    ["v26.7.2", { operator: { initContainer: {} }, cdi: { default: true } }, ["operator.initContainer", "cdi.default"]],
    ["v26.7.0", { draDriver: { gpus: {}, capability: {} } }, ["draDriver.capability"]],
    [undefined, { toolkit: { instalDir: "/" } }, ["toolkit.instalDir"]],
    [undefined, { operator: { metrics: {}, initContainer: {} } }, []],
    ["v25.10.1", { devicePlugin: { enabled: true, evn: [], colour: 1 } }, []],
  ])("%s with %j", ([version, values, expected]) =>
    expect(unknownPaths(values, version)).toEqual(expected.map((path) => `values.${path}`)),
  );

  test("the values that the component writes are known in the newest series, too", () => {
    expect(unknownPaths({ ...operatorValues({ ...gpuOperatorDefaults, migCapable: true }) }, "v26.7.0")).toEqual([]);
  });

  test.for([
    ["gpuCluster", true],
    ["clusterPolicy", false],
  ] as const)("%s.deployCR %s is refused: the nodes would offer no nvidia.com/gpu", ([section, deployCR]) => {
    const problems = (value: boolean) =>
      operatorValuesProblems(
        { [section]: { deployCR: value } },
        { at: "values", enginePath: "health", chartVersion: "v26.7.0" },
      );
    expect(problems(deployCR).map(({ path, code }) => [path, code])).toEqual([
      [`values.${section}.deployCR`, "not-allowed"],
    ]);
    expect(problems(!deployCR)).toEqual([]);
  });
});
