import { join } from "../core/checks";
import { isOutput, requirePlainValue } from "../core/outputs";
import type { Problem } from "../core/problems";
import { isRecord } from "../core/reader/records";
import { labelValue, qualifiedName } from "../nodes/checks";

/** Labels of an object in the cluster, or of nodes. */
export type ObjectLabels = Readonly<Record<string, string>>;

/** What is wrong with labels; `example` is one that is fine. */
export function objectLabelsProblems(path: string, got: unknown, example: string): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (!isRecord(got)) {
    const fix = `set ${path} to labels such as ${example}`;
    return [{ code: "wrong-type", path, got, why: "It must hold labels, each a text.", fix }];
  }
  return Object.entries(got).flatMap(([key, value]) => {
    const at = join(path, key === "" ? '""' : key);
    return [...qualifiedName(key, at), ...labelValue(value, at)];
  });
}
