import { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import type { Resource, Stack } from "../../engine/resource";
import { openPaths } from "../../../components/core/reader/truth";
import { yamlDocuments } from "../../engine/yaml";
import { chartReference, installers } from "../operator/chart-reference";
import { gpuOperator } from "../operator/operator-values";
import { bound, sum, type Bound } from "./gpu-capacity";
import type { Entry } from "./gpu-request";

const configMap = "kubernetes:core/v1:ConfigMap";

/** Where charts keep the files that configure NVIDIA's device plugin, by the name of the chart. */
const filesOf: Readonly<Record<string, string>> = {
  "nvidia-device-plugin": "values.config.map",
  "gpu-operator": "values.devicePlugin.config.data",
};

/** Types that {@link sharesOf} reads. */
export const sharingTypes: readonly string[] = [gpuOperator, configMap, ...installers];

/**
 * Pods for each GPU: what is configured, or the most that the component, a chart's values or a ConfigMap say. Which
 * file a node takes stands in its label, so the largest of all counts.
 * @see https://github.com/NVIDIA/k8s-device-plugin#shared-access-to-gpus
 */
export function sharesOf(stack: Stack, configured: number): Bound {
  const stated = [
    ...stack
      .ofType(gpuOperator)
      .flatMap((one) => ["timeSlicing.replicas", "mps.replicas"].map((path) => bound(one.integer(path)))),
    ...stack.ofType(...installers).map(ofChart),
    // Most ConfigMaps are about something else: what is unknown of one is left out.
    ...stack.ofType(configMap).map((one) => ({ ...ofFiles(one.entries("data")), open: [] })),
  ];
  const least = stated.reduce((most, one) => Math.max(most, one.least), configured);
  return { least, open: sum(stated).open };
}

function ofChart(chart: Resource): Bound {
  const { value: reference = "" } = chart.text("chart");
  const { name } = chartReference(reference);
  const path = Object.hasOwn(filesOf, name) ? filesOf[name] : undefined;
  return path === undefined ? { least: 0, open: [] } : ofFiles(chart.entries(path));
}

function ofFiles(files: Reading<readonly Entry[]>): Bound {
  const texts = (files.value ?? []).map(([, file]) => file.text());
  const open = [files, ...texts].flatMap((reading) => openPaths(reading.is(() => false)));
  return { least: texts.reduce((most, { value }) => Math.max(most, replicasIn(value ?? "")), 0), open };
}

/** The most pods for a GPU that one file of the device plugin's configuration allows; 0 for any other text. */
function replicasIn(file: string): number {
  if (!/timeSlicing|mps/.test(file)) return 0;
  const sharing = parsed(file).at("sharing");
  const resources = ["timeSlicing", "mps"].flatMap((way) => sharing.list(`${way}.resources`).value ?? []);
  return resources.slice(0, 100).reduce((most, one) => Math.max(most, one.integer("replicas").value ?? 0), 0);
}

function parsed(file: string): Reader {
  return new Reader(yamlDocuments(file)?.[0]);
}
