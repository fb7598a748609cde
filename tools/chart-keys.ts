// Writes a file of components/vendor from the values.yaml of a chart: its keys, without values.
//
//   node tools/run.mjs chart-keys gpu-operator v26.3.1=values-1.yaml v26.3.3=values-3.yaml
//
// Several versions give the union of their keys. A key that is commented out counts: the chart reads it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import prettier from "prettier";
import type { ChartKeys } from "../components/core/chart-values";
import { isRecord } from "../components/core/reader/records";

export async function main([chart, ...versions]: readonly string[]): Promise<void> {
  if (chart === undefined || versions.length === 0) throw new Error("usage: chart-keys CHART VERSION=FILE...");
  const path = join(__dirname, `../components/vendor/${chart}-values.json`);
  const before = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  const pairs = versions.map((pair) => pair.split("="));
  const keys = union(pairs.map(([, file = ""]) => chartKeys(readFileSync(file, "utf8"))));
  const content = { ...before, versions: pairs.map(([version]) => version), keys };
  writeFileSync(path, await prettier.format(JSON.stringify(content), { filepath: path, printWidth: 120 }));
}

/** The keys of the two upper levels of a values.yaml. */
export function chartKeys(yaml: string): ChartKeys {
  const values = load(yaml);
  if (!isRecord(values)) throw new Error("the file has no keys");
  const commented = commentedKeys(yaml);
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      isRecord(value) ? [...new Set([...Object.keys(value), ...(commented[key] ?? [])])].sort() : "any",
    ]),
  );
}

/** Keys of the second level that are commented out, by their section. Prose starts with a capital letter, or has a sentence after the colon. */
function commentedKeys(yaml: string): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  let section = "";
  for (const line of yaml.split("\n")) {
    section = /^([\w-]+):/.exec(line)?.[1] ?? section;
    const key = /^ {2}#\s?([a-z]\w*):(?! [a-z]+ \w+ \w+)( .*)?$/.exec(line)?.[1];
    if (key !== undefined) (found[section] ??= []).push(key);
  }
  return found;
}

function union(all: readonly ChartKeys[]): ChartKeys {
  const names = [...new Set(all.flatMap((keys) => Object.keys(keys)))].sort();
  return Object.fromEntries(
    names.map((name) => {
      const lists = all.flatMap((keys) => keys[name] ?? []);
      return [name, lists.includes("any") ? "any" : [...new Set(lists)].sort()];
    }),
  );
}
