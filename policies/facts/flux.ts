import { all, any, compare, openPaths, Reading, type Reader } from "../engine/values";
import { clusterCreators } from "../engine/creators";
import type { Resource, Stack } from "../engine/resource";
import { isSet, versionOf, type InstalledChart } from "./installed-chart";

/** @see https://fluxcd.io/flux/components/helm/helmreleases/ */
export const fluxReleases: readonly string[] = clusterCreators.Flux.filter((type) => type.endsWith(":HelmRelease"));

const sources = (kind: string) =>
  ["v1", "v1beta2"].map((version) => `kubernetes:source.toolkit.fluxcd.io/${version}:${kind}`);

/** @see https://fluxcd.io/flux/components/source/ocirepositories/ */
const repositories = sources("OCIRepository");

/** @see https://fluxcd.io/flux/components/source/helmcharts/ */
const charts = sources("HelmChart");

/** What a HelmRelease may refer to instead of a chart. */
export const fluxSources: readonly string[] = [...repositories, ...charts];

/** The chart of a HelmRelease: its own, or that of the OCIRepository or HelmChart that it refers to. */
export function fluxChart(resource: Resource, stack?: Stack): InstalledChart {
  const own = resource.at("spec.chart.spec");
  const referred = resource.at("spec.chartRef");
  const values = resource.at("spec.values");
  const [files, references] = [own.at("valuesFiles"), resource.at("spec.valuesFrom")];
  const hidden = {
    isSome: any(isSet(files), isSet(references)),
    path: isSet(references) === false ? files.path : references.path,
  };
  if (referred.entries().isAbsent === true) return { ...chartIn(own), values, hidden };
  const source = sourceOf(resource, referred, stack);
  return {
    ...(source instanceof Reading ? { reference: source, version: source } : fluxSource(source)),
    values,
    hidden,
  };
}

/** The chart that an OCIRepository or a HelmChart selects. It has no values. */
export function fluxSource(resource: Resource): InstalledChart {
  const spec = resource.at("spec");
  const chart = charts.includes(resource.type) ? chartIn(spec) : imageIn(spec);
  return { ...chart, values: spec.at("values"), hidden: { isSome: false, path: spec.path } };
}

/** A chart in a Git folder has no name or version: it may be another chart that contains the one of its name. */
function chartIn(spec: Reader) {
  const isInFolder = spec.text("sourceRef.kind").is((kind) => kind !== "HelmRepository");
  const [open] = openPaths(isInFolder);
  const unread = open === undefined ? Reading.absent<string>(spec.at("chart").path) : Reading.unknown<string>(open);
  const reference = isInFolder === false ? spec.text("chart") : unread;
  return { reference, version: versionOf(reference, [spec.version("version")]) };
}

/** A digest takes precedence over a range, and a range over a tag. */
function imageIn(spec: Reader) {
  const url = spec.text("url");
  const digest = spec.text("ref.digest");
  const reference = digest.is(() => true) === true ? url.map((text) => `${text}@${digest.value}`, String) : url;
  return { reference, version: versionOf(reference, [spec.version("ref.semver"), spec.version("ref.tag")]) };
}

/** The resource of the stack that a reference names, or why none is found: the stack lacks it, or a name is unknown. */
function sourceOf(release: Resource, reference: Reader, stack?: Stack): Resource | Reading<string> {
  const { isUnknown, path } = reference.entries();
  if (isUnknown) return Reading.unknown(path);
  if (!stack) return Reading.unseen(path);
  const [kind, name] = [reference.text("kind"), reference.text("name")];
  const stated = reference.text("namespace");
  const namespace = (stated.isAbsent === true ? release.text("metadata.namespace") : stated).or("default");
  const isSame = (a: string, b: string) => a === b;
  const candidates = stack.ofType(...fluxSources).map((source) => ({
    source,
    isNamed: all(
      kind.is((text) => source.type.endsWith(`:${text}`)),
      compare(name, source.text("metadata.name"), isSame),
      compare(namespace, source.text("metadata.namespace").or("default"), isSame),
    ),
  }));
  const certain = name.isUnknown ? behind(release, stack) : candidates.find(({ isNamed }) => isNamed === true)?.source;
  if (certain) return certain;
  const isOpen = any(...candidates.map(({ isNamed }) => isNamed)) !== false;
  return isOpen ? Reading.unknown(path) : Reading.unseen(path);
}

/** A name that is known only after the update is an output of the source. */
function behind(release: Resource, stack: Stack): Resource | undefined {
  return fluxSources.flatMap((type) => stack.behind(release, "spec", type))[0];
}
