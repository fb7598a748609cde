import { Reading } from "../../components/core/reader/reading";
import type { Reader } from "../../components/core/reader/reader";
import { openPaths, type Truth } from "../../components/core/reader/truth";
import { keys as operatorKeys } from "../../components/vendor/gpu-operator-values.json";
import type { Resource, Stack } from "../engine/resource";
import { customCharts, customInstallers } from "./custom-charts";
import { fluxChart, fluxReleases, fluxSource, fluxSources } from "./flux";
import { chartV3, chartV4, helmChart, release } from "./helm";
import { chartReference, namesChart, type InstalledChart } from "./installed-chart";
import { equals, openIn } from "./lists";

/** The types that install Helm charts: those of Pulumi, and the custom resources of controllers such as Argo CD and Flux. */
export const installers: readonly string[] = [release, chartV3, chartV4, ...customInstallers, ...fluxReleases];

/** The types of Flux that select the version of a chart for a HelmRelease. */
export const chartSources: readonly string[] = fluxSources;

/**
 * The charts that a resource installs. A custom resource may install several.
 *
 * @param stack finds the source of a chart in another resource
 */
export function chartsOf(resource: Resource, stack?: Stack): readonly InstalledChart[] {
  if (fluxReleases.includes(resource.type)) return [fluxChart(resource, stack)];
  const charts = read.get(resource) ?? chartsIn(resource);
  read.set(resource, charts);
  return charts;
}

/** Many rules ask for the charts of a resource, and values can be YAML text. */
const read = new WeakMap<Resource, readonly InstalledChart[]>();

function chartsIn(resource: Resource): readonly InstalledChart[] {
  if (customInstallers.includes(resource.type)) return customCharts(resource);
  if (fluxSources.includes(resource.type)) return [fluxSource(resource)];
  return [helmChart(resource)];
}

/**
 * The chart of a name in a resource: the one that certainly has the name, else one that may have it, else the first. A chart
 * can be a dependency of another one, or have another name in its registry.
 */
export function chartNamed(resource: Resource, name: string, stack?: Stack): InstalledChart {
  const installed = chartsOf(resource, stack);
  const charts = installed.flatMap((chart) => [renamed(chart, name), ...dependencies(chart, name)]);
  const certain = charts.find((chart) => namesChart(chart, name) === true);
  return certain ?? charts.find((chart) => namesChart(chart, name) !== false) ?? installed[0] ?? helmChart(resource);
}

/** Whether a resource installs a chart. Not true for a v4 Chart that the engine passes without inputs. */
export function installsChart(installer: Resource, name: string, stack?: Stack): Truth {
  return namesChart(chartNamed(installer, name, stack), name);
}

/** By what a chart with another name is recognised. */
interface Marks {
  /** Keys at the top of its values. No other chart has two of them. */
  readonly keys: ReadonlySet<string>;
  /** Names of copies. Without a key in the values, such a chart may be another one. */
  readonly names: RegExp;
  /** Names of other charts that are published. */
  readonly others: readonly string[];
}

/** Keys of the operator's values that other charts have, too. */
const generic = [
  ...["cdi", "daemonsets", "extraObjects", "hostPaths", "nfd", "node-feature-discovery"],
  ...["operator", "platform", "psa", "validator"],
];
const marks: Readonly<Record<string, Marks>> = {
  "gpu-operator": {
    keys: new Set(Object.keys(operatorKeys).filter((key) => !generic.includes(key))),
    names: /^(?!.*(amd|intel|rocm|charts$)).*gpu-?operator/,
    others: [
      ...["nvidia-device-plugin", "nvidia-dra-driver-gpu", "dra-driver-nvidia-gpu", "network-operator"],
      ...["dcgm-exporter", "eks-node-monitoring-agent", "cluster-autoscaler", "karpenter"],
      ...["kube-prometheus-stack", "prometheus"],
    ],
  },
};

function keysOf(values: Reader, name: string): number {
  const keys = marks[name]?.keys;
  return keys === undefined ? 0 : (values.entries().value ?? []).filter(([key]) => keys.has(key)).length;
}

/** The chart with the name, if its values show that it is a copy of the named one under another name. */
function renamed(chart: InstalledChart, name: string): InstalledChart {
  const { reference, values } = chart;
  const mark = marks[name];
  if (!mark) return chart;
  const isOther = reference.is((text) => mark.others.includes(chartReference(text).name));
  if (isOther !== false || namesChart(chart, name) === true) return chart;
  const [open] = [openIn(values.entries()), chart.hidden.isSome].flatMap(openPaths);
  if (open !== undefined) return { ...chart, reference: Reading.unknown(open) };
  const keys = keysOf(values, name);
  const isLike = reference.is((text) => mark.names.test(chartReference(text).name));
  if (keys > 1 || (keys === 1 && isLike === true))
    return { ...chart, reference: Reading.known(reference.path, name, name) };
  return isLike === true ? { ...chart, reference: Reading.unknown(reference.path) } : chart;
}

/**
 * The charts of a name among the dependencies of a chart. Their values are below their name, or below another name that
 * Chart.yaml gives them. Chart.yaml has their version too, which is not in the plan.
 */
function dependencies(
  { values, hidden }: Pick<InstalledChart, "values" | "hidden">,
  name: string,
  depth = 2,
): InstalledChart[] {
  return (values.entries().value ?? []).flatMap(([key, inner]) => {
    const isNamed = key === name ? inner.entries().is(() => true) : keysOf(inner, name) > 1;
    if (isNamed !== true) return depth > 1 ? dependencies({ values: inner, hidden }, name, depth - 1) : [];
    const isOff = equals(inner.boolean("enabled"), false);
    if (isOff === true) return [];
    const reference =
      isOff === false ? Reading.known(inner.path, name, name) : Reading.unknown<string>(`${inner.path}.enabled`);
    return [
      { reference, version: Reading.unknown<string>(`the version of ${name} in Chart.yaml`), values: inner, hidden },
    ];
  });
}
