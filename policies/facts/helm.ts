import { Reader } from "../../components/core/reader/reader";
import { not } from "../../components/core/reader/truth";
import type { Resource } from "../engine/resource";
import { isSet, valuesIn, versionOf, type InstalledChart } from "./installed-chart";
import { openIn } from "./lists";

export const release = "kubernetes:helm.sh/v3:Release";
export const chartV3 = "kubernetes:helm.sh/v3:Chart";
export const chartV4 = "kubernetes:helm.sh/v4:Chart";

/** The chart of a Release or of a Chart. */
export function helmChart(resource: Resource): InstalledChart {
  const reference = resource.text("chart");
  const paths = resource.type === chartV3 ? ["version", "fetchOpts.version"] : ["version"];
  const version = versionOf(
    reference,
    paths.map((path) => resource.version(path)),
  );
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
