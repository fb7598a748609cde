import { describeVersion } from "../../components/core/reader/describe";
import { Reader } from "../../components/core/reader/reader";
import type { Reading } from "../../components/core/reader/reading";
import { any, type Truth } from "../../components/core/reader/truth";
import { yamlDocuments } from "../engine/yaml";
import { chartReference } from "./chart-reference";

/** A Helm chart that a resource installs. */
export interface InstalledChart {
  /** The chart as the resource names it; see {@link chartReference}. */
  readonly reference: Reading<string>;
  /** The version. One in the reference takes precedence over any other. */
  readonly version: Reading<string>;
  readonly values: Reader;
  /** Values that the rules cannot read, such as those in files. */
  readonly hidden: HiddenValues;
}

/** Values that the rules cannot read. They do not override the values of the resource. */
export interface HiddenValues {
  readonly isSome: Truth;
  /** The property that refers to them. */
  readonly path: string;
}

/** Whether a chart has a name. */
export function namesChart({ reference }: InstalledChart, name: string): Truth {
  return reference.is((text) => chartReference(text).name === name);
}

/** The version in a reference, else the first version that is set. */
export function versionOf(reference: Reading<string>, stated: readonly Reading<string>[]): Reading<string> {
  const inReference = reference.map((text) => chartReference(text).version, describeVersion);
  return [inReference, ...stated].find(({ isAbsent }) => isAbsent !== true) ?? stated[0] ?? inReference;
}

/** Whether a property is set: a list with an item, or any other value. */
export function isSet(reader: Reader): Truth {
  const list = reader.list();
  return any(
    list.isMalformed,
    list.is((items) => items.length > 0),
  );
}

/** The values in a YAML text. */
export function valuesIn(text: Reader): Reader {
  const { value } = text.text();
  return value === undefined ? text : new Reader(yamlDocuments(value)?.[0], text.path);
}
