import { createRequire } from "node:module";
import type * as yaml from "js-yaml";

/**
 * The documents of a YAML text; undefined for a text that is not YAML. The parser is loaded on first use, because most
 * runs need none and it delays the start of a pack.
 */
export function yamlDocuments(text: string): readonly unknown[] | undefined {
  const { loadAll } = createRequire(__filename)("js-yaml") as typeof yaml;
  try {
    return loadAll(text);
  } catch {
    return undefined;
  }
}
