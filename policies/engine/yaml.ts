import { createRequire } from "node:module";
import type * as yaml from "js-yaml";

/**
 * What the documents of a YAML text say; undefined for a text that is no YAML. The parser is loaded with the first text that
 * needs it: most runs have none, and every pack would start the later for it.
 */
export function yamlDocuments(text: string): readonly unknown[] | undefined {
  const { loadAll } = createRequire(__filename)("js-yaml") as typeof yaml;
  try {
    return loadAll(text);
  } catch {
    return undefined;
  }
}
