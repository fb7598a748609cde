import { customValuesProblems, type ChartKeys, type ChartRules, type ProtectedValue } from "../../core/chart-values";
import { join, valueAt } from "../../core/reader/paths";
import { isOutput } from "../../core/outputs";
import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import chart from "../../vendor/gpu-operator-values.json";
import { gpuHealth, remoteEngineVariable, type GpuHealthEngine } from "../health/gpu-health";
import { isOlder, seriesOf } from "./compatibility";

/**
 * Keys that only the chart's templates read: values.yaml does not name them.
 * @see https://github.com/NVIDIA/gpu-operator/tree/v26.3.3/deployments/gpu-operator/templates 2026-06-24
 */
const templateKeys: Readonly<Record<string, readonly string[]>> = {
  ccManager: ["args", "env"],
  cdi: ["default"],
  dcgm: ["imagePullSecrets"],
  dcgmExporter: ["args", "imagePullSecrets"],
  driver: ["args", "livenessProbe", "readinessProbe"],
  gfd: ["args"],
  kataManager: ["args", "image", "repository", "version"],
  migManager: ["args"],
  nodeStatusExporter: ["args", "env"],
  operator: ["defaultGPUMode", "initContainer", "labels", "nodeSelector"],
  toolkit: ["args"],
  validator: ["cuda", "driver", "enabled", "toolkit", "vfioPCI", "vgpuDevices", "vgpuManager"],
  vfioManager: ["args"],
  vgpuDeviceManager: ["args", "resources"],
  vgpuManager: ["args"],
};

/** The series whose sections the vendor's file lists. Other series have sections with more or fewer keys. */
const listedSeries = chart.versions.map(seriesOf);

/**
 * Keys that not every series has, with the first version that has them, or that no longer has them.
 * @see https://github.com/NVIDIA/gpu-operator/tree/v26.7.0/deployments/gpu-operator 2026-08-20
 */
const addedIn: Readonly<Record<string, string>> = {
  extraObjects: "v26.3.0",
  kataSandboxDevicePlugin: "v26.3.0",
  clusterPolicy: "v26.7.0",
  draDriver: "v26.7.0",
  gpuCluster: "v26.7.0",
  "hostPaths.kubeletRootDir": "v26.7.0",
  "operator.env": "v26.7.0",
  "operator.metrics": "v26.7.0",
};
const removedIn: Readonly<Record<string, string>> = { "cdi.default": "v26.7.0", "operator.initContainer": "v26.7.0" };

const allKeys: ChartKeys = {
  ...Object.fromEntries(
    Object.entries(chart.keys as ChartKeys).map(([key, keys]) => [key, withTemplateKeys(key, keys)]),
  ),
  // The values of another chart, which this chart installs.
  "node-feature-discovery": "object",
  // The templates of every chart read these.
  ...{ fullnameOverride: "any", nameOverride: "any", global: "any" },
};

function withTemplateKeys(section: string, keys: ChartKeys[string]): ChartKeys[string] {
  return typeof keys === "string" ? keys : [...keys, ...(templateKeys[section] ?? [])];
}

/** The keys of one chart's values, or of every release. `chartVersion` is exact. */
export function chartKeys(chartVersion?: string): ChartKeys {
  if (chartVersion === undefined) return allKeys;
  const has = (key: string) =>
    !isOlder(chartVersion, addedIn[key] ?? chartVersion) && isOlder(chartVersion, removedIn[key] ?? "v9999.0.0");
  const kept = Object.entries(allKeys).filter(([section]) => has(section));
  return Object.fromEntries(
    kept.map(([section, keys]) => [
      section,
      typeof keys === "string" ? keys : keys.filter((key) => has(`${section}.${key}`)),
    ]),
  );
}

const mustBeOff = (path: string, why: string): ProtectedValue => ({
  paths: [path],
  allows: (got) => got === false,
  why,
});

const rules: Omit<ChartRules, "chart" | "keys" | "hasAllKeys"> = {
  protected: [
    mustBeOff(
      "driver.enabled",
      "The AL2023 NVIDIA AMI contains the driver, and NVIDIA publishes no driver container for AL2023.",
    ),
    mustBeOff(
      "toolkit.enabled",
      "The AL2023 NVIDIA AMI contains the container toolkit; the operator's toolkit would break it.",
    ),
    mustBeOff(
      "cdi.nriPluginEnabled",
      "The NRI plugin is part of the operator's container toolkit, which is off on the AL2023 NVIDIA AMI.",
    ),
    mustBeOff(
      "gpuCluster.deployCR",
      "A GPUCluster is an experimental replacement for the ClusterPolicy: it offers GPUs through DRA, not as nvidia.com/gpu.",
    ),
    {
      paths: ["clusterPolicy.deployCR"],
      allows: (got) => got === true,
      why: "Without a ClusterPolicy, the operator does not start a device plugin.",
    },
  ],
  arguments: {
    "devicePlugin.enabled": "devicePlugin",
    "dcgmExporter.enabled": "dcgmExporter",
    "dcgmExporter.serviceMonitor.enabled": "serviceMonitor",
    "mig.strategy": "migStrategy",
  },
  example: "{ gfd: { enabled: false } }",
};

/** The facts that custom values must fit. */
interface OperatorValuesContext {
  /** The path of the values, which ends in `values`. */
  readonly at: string;
  /** Undefined when the engine itself is invalid. */
  readonly engine?: GpuHealthEngine | undefined;
  /** The path of the argument that selects the engine, e.g. `gpuHealth.engine`. */
  readonly enginePath: string;
  /** Undefined when the version is not exact: then the keys of every release are accepted. */
  readonly chartVersion?: string | undefined;
}

/** The problems of custom values for the chart of the GPU Operator. */
export function operatorValuesProblems(
  values: unknown,
  { at, engine, enginePath, chartVersion }: OperatorValuesContext,
): Problem[] {
  const problems = customValuesProblems(values, at, {
    ...rules,
    chart: chartVersion === undefined ? "The chart" : `Chart ${chartVersion}`,
    keys: chartKeys(chartVersion),
    hasAllKeys: chartVersion !== undefined && listedSeries.includes(seriesOf(chartVersion)),
  });
  if (engine === undefined || isOutput(values) || !isRecord(values)) return problems;
  return [...problems, ...engineProblems(values, engine, { at, enginePath })];
}

/** Values that would give a node two DCGM engines, or leave the exporter without one. */
function engineProblems(
  values: Readonly<Record<string, unknown>>,
  engine: GpuHealthEngine,
  { at, enginePath }: Pick<OperatorValuesContext, "at" | "enginePath">,
): Problem[] {
  const { dcgm, dcgmExporter } = gpuHealth({ engine, taints: [] }).operatorValues;
  const why = `A node must have exactly one DCGM engine; ${enginePath} "${engine}" selects it.`;
  const other = `or select another engine with ${enginePath}`;
  const differs = (path: readonly string[], selected: unknown): Problem[] => {
    const got = valueAt(values, path);
    const full = join(at, path.join("."));
    return got === undefined || selected === undefined || got === selected
      ? []
      : [{ code: "conflict", path: full, got, why, fix: `remove ${full}, ${other}` }];
  };
  const env = valueAt(values, ["dcgmExporter", "env"]);
  const remote = dcgmExporter.env?.[0]?.value;
  const path = join(at, "dcgmExporter.env");
  const fix = remote
    ? `add { name: "${remoteEngineVariable}", value: "${remote}" } to ${path}`
    : `remove ${remoteEngineVariable} from ${path}, ${other}`;
  return [
    ...differs(["dcgm", "enabled"], dcgm.enabled),
    ...differs(["dcgmExporter", "hostNetwork"], dcgmExporter.hostNetwork),
    ...(env === undefined || remoteEngine(env) === remote
      ? []
      : [{ code: "conflict" as const, path, got: env, why, fix }]),
  ];
}

function remoteEngine(env: unknown): unknown {
  const entries: readonly unknown[] = Array.isArray(env) ? env : [];
  return valueAt(
    entries.find((entry) => valueAt(entry, ["name"]) === remoteEngineVariable),
    ["value"],
  );
}
