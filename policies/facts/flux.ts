import { all, any, compare, Reading, type Reader } from "../engine/values";
import { custom } from "../engine/objects";
import type { Resource, Stack } from "../engine/resource";
import { fluxRelease, type Place } from "./cluster-creators";
import { chartIn } from "./custom-charts";
import type { InstalledChart } from "./installed-chart";

/** What a HelmRelease may refer to instead of a chart. A digest takes precedence over a range, and a range over a tag. */
const sources: ReadonlyMap<string, Place> = new Map([
  ...custom<Place>(
    { charts: [], reference: ["spec.url"], version: ["spec.ref.semver", "spec.ref.tag"], digest: "spec.ref.digest" },
    "source.toolkit.fluxcd.io/v1,v1beta2:OCIRepository",
  ),
  ...custom<Place>(
    { charts: [], reference: ["spec.chart"], version: "spec.version", source: "spec.sourceRef.kind" },
    "source.toolkit.fluxcd.io/v1,v1beta2:HelmChart",
  ),
]);

/** @see https://fluxcd.io/flux/components/source/ */
export const fluxSources: readonly string[] = [...sources.keys()];

/** The chart of a HelmRelease: its own, or that of the OCIRepository or HelmChart that it refers to. */
export function fluxChart(resource: Resource, stack?: Stack): InstalledChart {
  const own = chartIn(resource, fluxRelease);
  const referred = resource.at("spec.chartRef");
  if (referred.entries().isAbsent === true) return own;
  const source = sourceOf(resource, referred, stack);
  const { reference, version } =
    source instanceof Reading ? { reference: source, version: source } : fluxSource(source);
  return { ...own, reference, version };
}

/** The chart that an OCIRepository or a HelmChart selects. It has no values. */
export function fluxSource(resource: Resource): InstalledChart {
  return chartIn(resource, sources.get(resource.type) ?? fluxRelease);
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
  // A name that is known only after the update is an output of the source.
  const behind = fluxSources.flatMap((type) => stack.behind(release, "spec", type))[0];
  const certain = name.isUnknown ? behind : candidates.find(({ isNamed }) => isNamed === true)?.source;
  if (certain) return certain;
  const isOpen = any(...candidates.map(({ isNamed }) => isNamed)) !== false;
  return isOpen ? Reading.unknown(path) : Reading.unseen(path);
}
