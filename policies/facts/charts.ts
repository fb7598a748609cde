import { describeVersion } from "../../components/core/reader/describe";
import { equals, not, openPaths, Reader, Reading, some, Undetermined, type Truth } from "../engine/values";
import { keys as operatorKeys } from "../../components/vendor/gpu-operator-values.json";
import type { Resource, Stack } from "../engine/resource";
import { customInstallers, fluxReleases, olmPackage, subscriptions } from "./cluster-creators";
import { chartIn, customCharts } from "./custom-charts";
import { fluxChart, fluxSource, fluxSources } from "./flux";
import {
  chartReference,
  isExact,
  isSet,
  namesChart,
  valuesIn,
  versionOf,
  type InstalledChart,
} from "./installed-chart";
import { openIn } from "./lists";

export const release = "kubernetes:helm.sh/v3:Release";
export const chartV3 = "kubernetes:helm.sh/v3:Chart";
export const chartV4 = "kubernetes:helm.sh/v4:Chart";

/** The types that install Helm charts: those of Pulumi, and the custom resources of controllers such as Argo CD and Flux. */
export const installers: readonly string[] = [release, chartV3, chartV4, ...customInstallers];

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
  if (subscriptions.includes(resource.type)) return [packageOf(resource)];
  if (customInstallers.includes(resource.type)) return customCharts(resource);
  if (fluxSources.includes(resource.type)) return [fluxSource(resource)];
  return [helmChart(resource)];
}

/**
 * The package of a Subscription, as the chart of the same software. A startingCSV is the package and a version, such as
 * `gpu-operator-certified.v26.3.1`. Another object has the values: of the GPU Operator, a ClusterPolicy.
 * @see https://github.com/operator-framework/api/blob/3ad16e7a/pkg/operators/v1alpha1/subscription_types.go
 */
function packageOf(subscription: Resource): InstalledChart {
  const { reference, version, values } = chartIn(subscription, olmPackage);
  return {
    reference: reference.map((name) => name.replace(/-certified$/, ""), String),
    version: version.map((csv) => /\.(v\d.*)$/.exec(csv)?.[1] ?? csv, describeVersion),
    values: new Reader(undefined, values.path),
    hidden: { isSome: new Undetermined([]), path: values.path },
  };
}

/** The chart of a Release or of a Chart. */
function helmChart(resource: Resource): InstalledChart {
  const reference = resource.text("chart");
  const paths = resource.type === chartV3 ? ["version", "fetchOpts.version"] : ["version"];
  const stated = paths.map((path) => resource.version(path));
  const version = versionOf(reference, stated);
  const { values, hidden } = filesOf(resource);
  return { reference, version, values: resource.at("values").over(values), hidden };
}

/**
 * The values of `valueYamlFiles`: those of string assets. Later files override earlier ones, so a file asset, whose
 * content is not in the plan, hides the files before it. In a preview the provider has merged all files into `values`.
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.34.2/provider/pkg/provider/helm_release.go decodeRelease
 */
function filesOf(resource: Resource): Pick<InstalledChart, "values" | "hidden"> {
  const files = resource.list("valueYamlFiles");
  const none = new Reader(undefined, "values");
  const items = files.value;
  if (!items) return { values: none, hidden: { isSome: isSet(resource.at("valueYamlFiles")), path: files.path } };
  const last = items.findLastIndex((file) => file.text("text").is(() => true) !== true);
  const values = items.slice(last + 1).reduce((under, file) => valuesIn(file.at("text")).over(under), none);
  const unread = items[last];
  const isSome = unread ? not(openIn(unread.text("text"))) : false;
  return { values: values.over(none), hidden: { isSome, path: (unread ?? files).path } };
}

/**
 * The chart of a name in a resource: the one that certainly has the name, else one that may have it, else the first. A chart
 * can be a dependency of another one, or have another name in its registry.
 */
export function chartNamed(resource: Resource, name: string, stack?: Stack): NamedChart {
  // The source of a HelmRelease is in the stack, of which each rule sees its own part.
  if (fluxReleases.includes(resource.type)) return findChart(resource, name, stack);
  const byName = named.get(resource) ?? new Map<string, NamedChart>();
  named.set(resource, byName);
  const chart = byName.get(name) ?? findChart(resource, name);
  byName.set(name, chart);
  return chart;
}

/** Many rules ask for the same few names. */
const named = new WeakMap<Resource, Map<string, NamedChart>>();

function findChart(resource: Resource, name: string, stack?: Stack): NamedChart {
  const charts = chartsOf(resource, stack)
    .flatMap((chart) => [renamed(chart, name), ...dependencies(chart, name)])
    .map((chart) => ({ ...chart, isNamed: namesChart(chart, name) }));
  const certain = charts.find(({ isNamed }) => isNamed === true);
  const possible = certain ?? charts.find(({ isNamed }) => isNamed !== false);
  return possible ?? charts[0] ?? { ...helmChart(resource), isNamed: false };
}

/** A chart, and whether it has the name that was asked for. Not true for a v4 Chart without inputs. */
export interface NamedChart extends InstalledChart {
  readonly isNamed: Truth;
}

/** Keys of the operator's values that other charts have, too. */
const generic = [
  ...["cdi", "daemonsets", "extraObjects", "hostPaths", "nfd", "node-feature-discovery"],
  ...["operator", "platform", "psa", "validator"],
];

/** The charts of device plugins. HAMi registers nvidia.com/gpu, too, on nodes with a label of its own. */
const pluginCharts = ["nvidia-device-plugin", "hami"];
/** The names of the chart of the DRA driver for GPUs. */
export const draCharts: readonly string[] = ["nvidia-dra-driver-gpu", "k8s-dra-driver-gpu", "dra-driver-nvidia-gpu"];
/** The charts of what advertises GPUs without the operator. */
export const advertisingCharts: readonly string[] = [...pluginCharts, ...draCharts];

/** Names of other charts than the operator's that are published. */
export const publishedCharts: readonly string[] = [
  ...[...advertisingCharts, "network-operator"],
  ...["dcgm-exporter", "eks-node-monitoring-agent", "cluster-autoscaler", "karpenter"],
  ...["kube-prometheus-stack", "prometheus"],
];

/** By what the GPU Operator is recognised under another name. */
const operator = {
  /** Keys at the top of its values. No other chart has two of them. */
  keys: new Set(Object.keys(operatorKeys).filter((key) => !generic.includes(key))),
  /** Names of copies. Without a key in the values, such a chart may be another one. */
  names: /^(?!.*(amd|intel|rocm|charts$)).*gpu-?op(erator|$)/,
  /** Names that hardly anything else has. */
  copies: /^(?!.*(amd|intel|rocm|ascend|cambricon|furiosa|habana|hygon|iluvatar|metax|mthreads|musa)).*gpu-?operator$/,
  /** Keys that other charts have, too, and how names are with which these keys are the operator's. */
  common: ["driver", "toolkit"],
  vendor: /gpu|nvidia|cuda/,
};

/** Whether a resource installs a chart with the name of a copy of the operator. */
export function bearsOperatorName(resource: Resource): Truth {
  return some(chartsOf(resource), ({ reference }) =>
    reference.is((text) => operator.copies.test(chartReference(text).name)),
  );
}

/** Whether values are those of the operator in a chart of a name; undetermined if other charts have such values, too. */
function isOperator(values: Reader, chart: string): Truth {
  const keys = (values.entries().value ?? []).map(([key]) => key).filter((key) => operator.keys.has(key));
  if (keys.length < 2) return keys.length === 1 && operator.names.test(chart);
  const isCertain = operator.vendor.test(chart) || keys.some((key) => !operator.common.includes(key));
  return isCertain || new Undetermined([values.path]);
}

/** The chart with the name, if its values show that it is a copy of the named one under another name. */
function renamed(chart: InstalledChart, name: string): InstalledChart {
  const { reference, values } = chart;
  const isOther = reference.is((text) => publishedCharts.includes(chartReference(text).name));
  if (name !== "gpu-operator" || isOther !== false || namesChart(chart, name) === true) return chart;
  const [open] = [openIn(values.entries()), chart.hidden.isSome].flatMap(openPaths);
  if (open !== undefined) return { ...chart, reference: Reading.unknown(open) };
  const own = chartReference(reference.value ?? "").name;
  const isCopy = isOperator(values, own);
  if (isCopy === true) return { ...chart, reference: Reading.known(reference.path, name, name) };
  const isOpen = isCopy !== false || operator.names.test(own);
  return isOpen ? { ...chart, reference: Reading.unknown(`the content of ${reference.path}`) } : chart;
}

/**
 * The charts of a name among the dependencies of a chart. Their values are below their name, or below another name that
 * Chart.yaml gives them. Chart.yaml has their version too, which is not in the plan. It floats if that of the chart does.
 */
function dependencies(around: InstalledChart, name: string, depth = 2): InstalledChart[] {
  const { values, hidden } = around;
  const floats = around.reference.is((text) => !chartReference(text).fixed && not(around.version.is(isExact)));
  const inChart = Reading.unknown<string>(`the version of ${name} in Chart.yaml`);
  return (values.entries().value ?? []).flatMap(([key, inner]) => {
    const isNamed = key === name ? inner.entries().is(() => true) : name === "gpu-operator" && isOperator(inner, key);
    const isOff = equals(inner.boolean("enabled"), false);
    const reference =
      isOff === false ? Reading.known(inner.path, name, name) : Reading.unknown<string>(`${inner.path}.enabled`);
    const chart = { reference, version: floats === true ? around.version : inChart, values: inner, hidden };
    if (isNamed !== true) return depth > 1 ? dependencies(chart, name, depth - 1) : [];
    return isOff === true ? [] : [chart];
  });
}
