import { describeVersion } from "../../components/core/reader/describe";
import { any, Reader, type Reading, type Truth } from "../engine/values";
import { yamlDocuments } from "../engine/yaml";

/** A Helm chart that a resource installs. */
export interface InstalledChart {
  /** The chart as the resource names it; see {@link chartReference}. */
  readonly reference: Reading<string>;
  /** The version. One in the reference takes precedence over any other. */
  readonly version: Reading<string>;
  readonly values: Reader;
  /** Values that the rules cannot read, such as those in files. They do not override the values of the resource. */
  readonly hidden: {
    readonly isSome: Truth;
    /** The property that refers to them. */
    readonly path: string;
  };
}

/** Whether a chart has a name. */
export function namesChart({ reference }: InstalledChart, name: string): Truth {
  return reference.is((text) => chartReference(text).name === name);
}

/** Three numbers with an optional pre-release and build. Helm resolves anything else again at each installation. */
export function isExact(version: string): boolean {
  return /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/.test(version);
}

/** The version in a reference, else the first version that is set. */
export function versionOf(reference: Reading<string>, stated: readonly Reading<string>[]): Reading<string> {
  const inReference = reference.map((text) => chartReference(text).version, describeVersion);
  return [inReference, ...stated].find(({ isAbsent }) => isAbsent !== true) ?? stated[0] ?? inReference;
}

/** Whether a property is set: a list with an item, or any other value. */
export function isSet(reader: Reader): Truth {
  const list = reader.list();
  const hasItem = list.is((items) => items.length > 0);
  return any(list.isMalformed, hasItem);
}

/** The values in a YAML text. */
export function valuesIn(text: Reader): Reader {
  const { value } = text.text();
  return value === undefined ? text : new Reader(yamlDocuments(value)?.[0], text.path);
}

/** The parts of a Helm chart reference. */
interface ChartReference {
  /** Name of the chart. */
  readonly name: string;
  /** The version in the reference, if there is one. */
  readonly version?: string;
  /** A local file or folder, or a digest: its content is fixed, also if the reference does not contain the version. */
  readonly fixed: boolean;
}

/**
 * Parses a chart reference: `nvidia/gpu-operator`, `oci://registry.example/charts/gpu-operator:v26.3.1`,
 * `https://charts.example/gpu-operator-v26.3.1.tgz`, a file or a folder.
 * @see https://helm.sh/docs/helm/helm_install/ "six different ways you can express the chart"
 */
export function chartReference(reference: string): ChartReference {
  const [path = ""] = reference.split(/[?#]/);
  const end = path.replace(/[/\\]+$/, "").slice(-200);
  const last = end.toLowerCase().split(/[/\\]/).at(-1) ?? "";
  const archive = /^(.+?)(?:-(v?\d.*))?\.(?:tgz|tar\.gz)$/.exec(last);
  const tagged = /^([^:@]+)(?::([^@]+))?(@.+)?$/.exec(last);
  const [, name = last, version] = archive ?? tagged ?? [];
  const hasDigest = !archive && tagged?.[3] !== undefined;
  const isLocal = /^(?:[.~/\\]|[a-z]:|file:)/i.test(reference) || (archive !== null && !reference.includes("://"));
  return { name, fixed: hasDigest || isLocal, ...(version !== undefined && { version }) };
}
