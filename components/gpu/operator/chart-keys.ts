import { distance } from "fastest-levenshtein";
import { join, onlyKeys } from "../../core/checks";
import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { isOlder } from "./compatibility";

/**
 * Keys at the top level of the chart's values, each with the first series that has it. Helm ignores a key that a chart
 * does not know without a word, so a misspelt one would change nothing.
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/deployments/gpu-operator/values.yaml 2026-04-17
 * @see https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/deployments/gpu-operator/values.yaml 2026-08-20
 */
const chartKeys: Readonly<Record<string, string>> = {
  ...since(
    "v25.10.0",
    "ccManager cdi daemonsets dcgm dcgmExporter devicePlugin driver gdrcopy gds gfd hostPaths kataManager mig migManager nfd " +
      "node-feature-discovery nodeStatusExporter operator platform psa sandboxDevicePlugin sandboxWorkloads toolkit validator " +
      "vfioManager vgpuDeviceManager vgpuManager",
  ),
  ...since("v26.3.0", "extraObjects kataSandboxDevicePlugin"),
  ...since("v26.7.0", "clusterPolicy draDriver gpuCluster"),
};

/** Read by the templates of this chart, and of any, beside the keys of its values.yaml. */
const helmKeys = ["fullnameOverride", "nameOverride", "global"];

function since(release: string, keys: string): Record<string, string> {
  return Object.fromEntries(keys.split(" ").map((key) => [key, release]));
}

/** The keys at the top level of one chart's values.yaml, or of any release. `chartVersion` is exact. */
export function topLevelKeys(chartVersion?: string): string[] {
  const keys = Object.entries(chartKeys);
  return keys.filter(([, first]) => chartVersion === undefined || !isOlder(chartVersion, first)).map(([key]) => key);
}

const image = "repository image version imagePullPolicy imagePullSecrets";
const workload = `enabled ${image} env args`;
const daemon = `${workload} resources hostNetwork`;

/**
 * Keys of each section in the charts 26.3.0 to 26.3.3: those of values.yaml, its comments included, and those that only
 * the templates read. Below them it is for the chart to say.
 * @see https://github.com/NVIDIA/gpu-operator/tree/v26.3.3/deployments/gpu-operator 2026-06-24
 */
const sectionKeys: Readonly<Record<string, readonly string[]>> = sections({
  ccManager: `${daemon} defaultMode`,
  cdi: "enabled default nriPluginEnabled",
  daemonsets: "labels annotations priorityClassName tolerations updateStrategy rollingUpdate",
  dcgm: daemon,
  dcgmExporter: `${daemon} annotations config enablePodLabels enablePodUID hostPID hpcJobMapping podLabelAllowlistRegex service serviceMonitor`,
  devicePlugin: `${daemon} config mps`,
  driver:
    `${daemon} certConfig kernelModuleConfig kernelModuleType licensingConfig livenessProbe manager nvidiaDriverCRD rdma readinessProbe ` +
    "repoConfig secretEnv startupProbe upgradePolicy useOpenKernelModules usePrecompiled virtualTopology",
  gdrcopy: workload,
  gds: workload,
  gfd: daemon,
  hostPaths: "rootFS driverInstallDir",
  kataManager: `${daemon} config`,
  kataSandboxDevicePlugin: daemon,
  mig: "strategy",
  migManager: `${daemon} config gpuClientsConfig`,
  nfd: "enabled nodefeaturerules",
  nodeStatusExporter: daemon,
  operator:
    `${image} affinity annotations cleanupCRD defaultGPUMode initContainer labels logging nodeSelector priorityClassName resources ` +
    "runtimeClass tolerations upgradeCRD use_ocp_driver_toolkit",
  platform: "openshift",
  psa: "enabled",
  sandboxDevicePlugin: daemon,
  sandboxWorkloads: "enabled defaultWorkload mode",
  toolkit: `${daemon} installDir`,
  validator: `${daemon} cuda driver plugin toolkit vfioPCI vgpuDevices vgpuManager`,
  vfioManager: `${daemon} driverManager`,
  vgpuDeviceManager: `${daemon} config`,
  vgpuManager: `${daemon} driverManager kernelModuleConfig`,
});

/** The release series of {@link sectionKeys}; in any other only what looks like a slip of the keyboard is refused. */
const tableSeries = /^v?26\.3\.\d+(-|$)/;

function sections(texts: Readonly<Record<string, string>>): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(texts).map(([section, keys]) => [section, keys.split(" ")]));
}

/** The keys of one section in the charts 26.3; undefined where any key may stand. */
export function keysOfSection(section: string): readonly string[] | undefined {
  return Object.hasOwn(sectionKeys, section) ? sectionKeys[section] : undefined;
}

/** Keys of the two upper levels that the chart does not have. `chartVersion` is exact; undefined for any release. */
export function unknownChartKeys(
  values: Readonly<Record<string, unknown>>,
  chartVersion: string | undefined,
  at: string,
): Problem[] {
  const chart = chartVersion === undefined ? "The chart" : `Chart ${chartVersion}`;
  const why = `${chart} has no such key, and Helm would ignore it without a word.`;
  const whole = chartVersion !== undefined && tableSeries.test(chartVersion);
  return [
    ...onlyKeys(at, values, [...topLevelKeys(chartVersion), ...helmKeys], {}, why),
    ...Object.entries(values).flatMap(([section, got]) => {
      const known = keysOfSection(section);
      if (!known || !isRecord(got)) return [];
      const judged = Object.entries(got).filter(([key]) => whole || isSlipOf(key, known));
      return onlyKeys(join(at, section), Object.fromEntries(judged), known, {}, why);
    }),
  ];
}

/** Whether a key is one or two letters away from a known one, and not so short that any other key would be. */
function isSlipOf(key: string, known: readonly string[]): boolean {
  return known.some((name) => distance(key, name) <= Math.min(2, Math.floor(name.length / 3)));
}
