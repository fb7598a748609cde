import { isRecord, plainValue } from "../../components/core/reader/records";
import { any, openPaths, Reader, Reading, unknownSentinels } from "../engine/values";
import type { Resource } from "../engine/resource";
import { yamlDocuments } from "../engine/yaml";
import { clusterCreators, type Place } from "./cluster-creators";
import { isExact, isSet, valuesIn, versionOf, type InstalledChart } from "./installed-chart";

/**
 * The charts of a custom resource. A chart in a Git folder has no name or version. The list of an ApplicationSet may fill in
 * another chart for each element. Otherwise only what all elements have in common is known, and the version: the first one
 * that is not exact.
 */
export function customCharts(resource: Resource): InstalledChart[] {
  const place = clusterCreators.get(resource.type)?.place;
  if (!place) return [];
  if (!place.isTemplate) return chartsAt(resource, place);
  const filled = (elements: readonly Reader[]) =>
    chartsAt(new Reader({ spec: withoutTemplates(resource.inputs("spec"), elements) }), place);
  const generators = resource.list("spec.generators").value ?? [];
  const inner = ["matrix", "merge"].flatMap((key) => generators[0]?.list(`${key}.generators`).value ?? []);
  const lists = [...generators, ...inner].flatMap((one) => one.list("list.elements").value ?? []);
  const elements = generators.length === 1 ? lists : [];
  const charts = elements.slice(0, most).flatMap((element) => filled([element]));
  const names = new Set(charts.map(({ reference }) => reference.value));
  if (charts.length > 0 && names.size === charts.length) return charts;
  const common = filled(elements.slice(0, most));
  return common.map((chart, at) => {
    const versions = charts.filter((_, index) => index % common.length === at).map(({ version }) => version);
    return {
      ...chart,
      version: versions.find((version) => version.is(isExact) !== true) ?? versions[0] ?? chart.version,
    };
  });
}

function chartsAt(spec: Reader, place: Place): InstalledChart[] {
  const blocks = place.charts.map((path) => spec.at(path));
  const stated = blocks.find((block) => block.list().value?.length !== 0 && isSet(block) !== false);
  const block = stated ?? blocks.at(-1) ?? spec;
  return (block.list().value ?? [block]).map((one) => chartIn(one, place));
}

/** What overrides values comes first. Files of values are in a repository, and the values of the resource override them. */
export function chartIn(block: Reader, place: Place): InstalledChart {
  const { version = "version", values: paths = ["values"], set, hidden = [] } = place;
  const reference = referenceIn(block, place);
  const versions = [version].flat().map((path) => block.version(path));
  const values = valuesIn(firstSet(block, paths));
  const unread = hidden.map((path) => block.at(path));
  return {
    reference,
    version: versionOf(reference, versions),
    values: set === undefined ? values : overridesIn(block.at(set), values.path).over(values),
    hidden: { isSome: any(...unread.map(isSet)), path: (hidden.length > 0 ? firstSet(block, hidden) : values).path },
  };
}

function referenceIn(block: Reader, { reference, digest = "digest", source }: Place): Reading<string> {
  const [first = block.text(), ...urls] = reference.map((path) => block.text(path));
  const url = urls.find((one) => one.is((text) => /^oci:\/\/|\.tgz$/.test(text)) === true);
  const stated = first.isAbsent === true ? (url ?? first) : first;
  const fixed = block.text(digest).value;
  const named = fixed === undefined ? stated : stated.map((text) => `${text}@${fixed}`, String);
  return source === undefined ? named : inRepository(named, block.text(source));
}

/** The name of a chart of Flux, unless its source is another one than a Helm repository. */
function inRepository(name: Reading<string>, kind: Reading<string>): Reading<string> {
  const isElsewhere = kind.is((word) => word !== "HelmRepository");
  const [open] = openPaths(isElsewhere);
  if (open !== undefined) return Reading.unknown(open);
  return isElsewhere === true ? Reading.absent(name.path) : name;
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

/** What the controller fills in is not known, unless all elements agree: a string with `{{ }}`, or the values with it in YAML. */
function withoutTemplates(given: unknown, elements: readonly Reader[]): unknown {
  if (typeof given !== "string") return mapped(given, (inner) => withoutTemplates(inner, elements));
  const value = given.replaceAll(/\{\{ *\.?(\w+) *\}\}/g, (template, key: string) => {
    const [first, ...others] = new Set(elements.map((element) => element.text(key).value));
    return others.length === 0 ? (first ?? template) : template;
  });
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
