import { isRecord, ownValue, plainValue } from "../../components/core/reader/records";
import { any, Reader, unknownSentinels } from "../engine/values";
import { clusterCreators, type ClusterCreator } from "../engine/creators";
import type { Resource } from "../engine/resource";
import { yamlDocuments } from "../engine/yaml";
import { isSet, valuesIn, versionOf, type InstalledChart } from "./installed-chart";

/** Where a custom resource states the charts that its controller installs. Paths of lists are read from their block. */
interface Place {
  /** Blocks with one chart each: a list, or one object. The first path that has a value counts. */
  readonly charts: readonly string[];
  /** The chart. The first path that has a value counts. An `oci://` URL names it only if no other path does. */
  readonly reference: readonly string[];
  /** @default "version" */
  readonly version?: string;
  /** Values, as an object or as YAML text. The first path that has a value counts. @default ["values"] */
  readonly values?: readonly string[];
  /** Values that override these: names and values, as a list or as an object. */
  readonly set?: string;
  /** Values in places that the rules cannot read. */
  readonly hidden?: readonly string[];
  /** Whether the controller replaces `{{ }}` in strings. */
  readonly isTemplate?: true;
}

export const [application, applicationSet] = clusterCreators["Argo CD"];

const argo = {
  reference: ["chart", "repoURL"],
  version: "targetRevision",
  values: ["helm.valuesObject", "helm.values"],
  set: "helm.parameters",
  hidden: ["helm.valueFiles", "helm.fileParameters"],
};
const k3s = { reference: ["spec.chart"], version: "spec.version", values: ["spec.values", "spec.valuesContent"] };
const sveltos: Place = {
  ...{ charts: ["spec.helmCharts"], reference: ["chartName"], version: "chartVersion" },
  ...{ hidden: ["valuesFrom"], isTemplate: true },
};
const fleet: Place = {
  ...{ charts: ["spec.helm"], reference: ["chart", "repo"] },
  ...{ hidden: ["valuesFiles", "valuesFrom"], isTemplate: true },
};
const crossplane: Place = {
  ...{ charts: ["spec.forProvider"], reference: ["chart.name", "chart.url"], version: "chart.version" },
  ...{ set: "set", hidden: ["valuesFrom"] },
};

/** Those that install no charts, or whose charts flux.ts reads. */
type Others =
  | ClusterCreator<"Flux" | "kapp-controller" | "Config Sync" | "The Operator Lifecycle Manager">
  | "kubernetes:fleet.cattle.io/v1alpha1:GitRepo"
  | "kubernetes:addons.cluster.x-k8s.io/v1beta1:ClusterResourceSet";

/**
 * The custom resources of which a controller installs Helm charts.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/helm/ `valuesObject` replaces `values`
 * @see https://docs.k3s.io/helm
 * @see https://github.com/crossplane-contrib/provider-helm/blob/main/examples/sample/release.yaml
 * @see https://docs.k0sproject.io/stable/helm-charts/
 * @see https://kubevela.io/docs/tutorials/helm/
 * @see https://projectsveltos.github.io/sveltos/addons/helm_charts/
 * @see https://fleet.rancher.io/ref-crds
 * @see https://github.com/kubernetes-sigs/cluster-api-addon-provider-helm
 */
const places: Readonly<Record<Exclude<ClusterCreator, Others>, Place>> = {
  [application]: { charts: ["spec.sources", "spec.source"], ...argo },
  [applicationSet]: { charts: ["spec.template.spec.sources", "spec.template.spec.source"], ...argo, isTemplate: true },
  "kubernetes:helm.cattle.io/v1:HelmChart": { charts: [], ...k3s, set: "spec.set", hidden: ["spec.valuesSecrets"] },
  "kubernetes:helm.crossplane.io/v1beta1:Release": crossplane,
  "kubernetes:helm.m.crossplane.io/v1beta1:Release": crossplane,
  "kubernetes:helm.k0sproject.io/v1beta1:Chart": { charts: ["spec"], reference: ["chartName"] },
  "kubernetes:k0s.k0sproject.io/v1beta1:ClusterConfig": {
    ...{ charts: ["spec.extensions.helm.charts"], reference: ["chartname"] },
  },
  "kubernetes:core.oam.dev/v1beta1:Application": {
    ...{ charts: ["spec.components"], reference: ["properties.chart", "properties.url"] },
    ...{ version: "properties.version", values: ["properties.values"] },
  },
  "kubernetes:config.projectsveltos.io/v1beta1:ClusterProfile": sveltos,
  "kubernetes:config.projectsveltos.io/v1beta1:Profile": sveltos,
  "kubernetes:fleet.cattle.io/v1alpha1:Bundle": fleet,
  "kubernetes:fleet.cattle.io/v1alpha1:HelmOp": fleet,
  "kubernetes:addons.cluster.x-k8s.io/v1alpha1:HelmChartProxy": {
    ...{ charts: ["spec"], reference: ["chartName"], values: ["valuesTemplate"], isTemplate: true },
  },
};

export const customInstallers: readonly string[] = Object.keys(places);

/**
 * The charts of a custom resource. A chart in a Git folder has no name or version. The list of an ApplicationSet may fill in
 * another chart for each element; otherwise the elements are not read.
 */
export function customCharts(resource: Resource): InstalledChart[] {
  const place = ownValue<Place>(places, resource.type);
  if (!place) return [];
  if (!place.isTemplate) return chartsAt(resource, place);
  const filled = (element: Reader) =>
    chartsAt(new Reader({ spec: withoutTemplates(resource.inputs("spec"), element) }), place);
  const generators = resource.list("spec.generators").value ?? [];
  const inner = ["matrix", "merge"].flatMap((key) => generators[0]?.list(`${key}.generators`).value ?? []);
  const lists = [...generators, ...inner].flatMap((one) => one.list("list.elements").value ?? []);
  const elements = generators.length === 1 ? lists : [];
  const charts = elements.slice(0, most).flatMap(filled);
  const names = new Set(charts.map(({ reference }) => reference.value));
  return charts.length > 0 && names.size === charts.length ? charts : filled(new Reader({}));
}

function chartsAt(spec: Reader, place: Place): InstalledChart[] {
  const blocks = place.charts.map((path) => spec.at(path));
  const stated = blocks.find((block) => block.list().value?.length !== 0 && isSet(block) !== false);
  const block = stated ?? blocks.at(-1) ?? spec;
  return (block.list().value ?? [block]).map((one) => chartIn(one, place));
}

/** What overrides values comes first. Files of values are in a repository, and the values of the resource override them. */
function chartIn(block: Reader, place: Place): InstalledChart {
  const { version = "version", values: paths = ["values"], set, hidden = [] } = place;
  const [first, ...urls] = place.reference.map((path) => block.text(path));
  const names = [
    ...(first && first.isAbsent !== true ? [first] : []),
    ...urls.filter((url) => url.is((text) => /^oci:\/\/|\.tgz$/.test(text)) === true),
  ];
  const reference = names[0] ?? first ?? block.text(version);
  const values = valuesIn(firstSet(block, paths));
  const unread = hidden.map((path) => block.at(path));
  return {
    reference,
    version: versionOf(reference, [block.version(version)]),
    values: set === undefined ? values : overridesIn(block.at(set), values.path).over(values),
    hidden: { isSome: any(...unread.map(isSet)), path: (hidden.length > 0 ? firstSet(block, hidden) : values).path },
  };
}

/** The first of these paths that may have a value, else the last. */
function firstSet(block: Reader, paths: readonly string[]): Reader {
  const readers = paths.map((path) => block.at(path));
  return readers.find((one) => isSet(one) !== false) ?? readers.at(-1) ?? block;
}

/** More parameters or elements than any resource has. */
const most = 500;

/**
 * Names and values as the values of a chart. A name such as `a.b` is a path, in which `\.` stands for a dot. A name such as
 * `a[0].b` changes one item of a list, so the list is not known.
 */
function overridesIn(given: Reader, path: string): Reader {
  const list = given
    .list()
    .value?.slice(0, most)
    .map((one) => ({ name: one.text("name"), value: one.text("value") }));
  const object = given.entries().value?.slice(0, most) ?? [];
  const open = given.list().isUnknown ? given : list?.find(({ name }) => name.isUnknown)?.name;
  if (open) return new Reader(unknownSentinels.object, open.path);
  const pairs = list?.map(({ name, value }) => [name.value ?? "", value] as const);
  const values = (pairs ?? object.map(([name, value]) => [name, value.text()] as const)).map(([name, value]) => {
    const [path = ""] = name.split(/(?<!\\)\[/);
    const keys = path.split(/(?<!\\)\./).map((key) => key.replaceAll(/\\(.)/g, "$1"));
    return keys.reduceRight<unknown>(
      (inner, key) => ({ [key]: inner }),
      value.isUnknown || path !== name ? unknownSentinels.text : value.value,
    );
  });
  return values.reduce((under: Reader, value) => new Reader(value, path).over(under), new Reader(undefined, path));
}

/** What the controller fills in is not known: a string with `{{ }}`, or the values with it in YAML text. */
function withoutTemplates(given: unknown, element: Reader): unknown {
  if (typeof given !== "string") return mapped(given, (inner) => withoutTemplates(inner, element));
  const value = given.replaceAll(
    /\{\{ *\.?(\w+) *\}\}/g,
    (template, key: string) => element.text(key).value ?? template,
  );
  if (!value.includes("{{")) return value;
  const unknown = unknownSentinels.text;
  const filledIn = (part: unknown): unknown =>
    typeof part === "string" ? (part.includes(unknown) ? unknown : part) : mapped(part, filledIn);
  return filledIn(yamlDocuments(value.replaceAll(/\{\{.*?\}\}/gs, unknown))?.[0] ?? unknown);
}

function mapped(value: unknown, change: (inner: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.keys(value).map((key) => [key, change(plainValue(value, key))]));
}
