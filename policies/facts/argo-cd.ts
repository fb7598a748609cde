import { Reader } from "../../components/core/reader/reader";
import { any, unknownSentinels } from "../../components/core/reader/truth";
import type { Resource } from "../engine/resource";
import { isSet, valuesIn, versionOf, type InstalledChart } from "./installed-chart";

/** @see https://argo-cd.readthedocs.io/en/stable/user-guide/application-specification/ */
export const application = "kubernetes:argoproj.io/v1alpha1:Application";

export const argoTypes: readonly string[] = [application];

/**
 * The charts of an Application: one of each source that is a chart, by name or as an OCI image. A chart in a Git folder
 * has no name or version.
 */
export function argoCharts(resource: Resource): InstalledChart[] {
  const sources = resource.list("spec.sources");
  if (sources.value && sources.value.length > 0) return sources.value.map(chartOf);
  return [chartOf(resource.at(sources.isUnknown ? "spec.sources" : "spec.source"))];
}

/**
 * Parameters override values. `valuesObject` replaces `values`. Both override files, which are in a repository.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/helm/
 */
function chartOf(source: Reader): InstalledChart {
  const image = source.text("repoURL");
  const isImage = image.is((url) => url.startsWith("oci://")) === true && source.text("chart").isAbsent === true;
  const reference = isImage ? image : source.text("chart");
  const object = source.at("helm.valuesObject");
  const values = object.entries().isAbsent === true ? valuesIn(source.at("helm.values")) : object;
  const [files, parameterFiles] = [source.at("helm.valueFiles"), source.at("helm.fileParameters")];
  return {
    reference,
    version: versionOf(reference, [source.version("targetRevision")]),
    values: parametersOf(source.at("helm.parameters"), values.path).over(values),
    hidden: {
      isSome: any(isSet(files), isSet(parameterFiles)),
      path: isSet(files) === false ? parameterFiles.path : files.path,
    },
  };
}

/** More parameters than any Application has. */
const most = 500;

/**
 * The parameters as values. A name such as `a.b` is a path, in which `\.` stands for a dot. A name such as `a[0].b` changes
 * one item of a list, so the list is not known.
 */
function parametersOf(parameters: Reader, path: string): Reader {
  const list = parameters.list();
  const given = (list.value ?? []).slice(0, most);
  const open = list.isUnknown ? parameters : given.map((one) => one.at("name")).find((name) => name.text().isUnknown);
  if (open) return open;
  const values = given.map((parameter) => {
    const name = parameter.text("name").value ?? "";
    const [path = ""] = name.split(/(?<!\\)\[/);
    const keys = path.split(/(?<!\\)\./).map((key) => key.replaceAll(/\\(.)/g, "$1"));
    const value = parameter.text("value");
    return keys.reduceRight<unknown>(
      (inner, key) => ({ [key]: inner }),
      value.isUnknown || path !== name ? unknownSentinels.text : value.value,
    );
  });
  return values.reduce((under: Reader, value) => new Reader(value, path).over(under), new Reader(undefined, path));
}
