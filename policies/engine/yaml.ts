import { createRequire } from "node:module";
import type * as yaml from "js-yaml";

/**
 * The documents of a YAML text, as Helm and Kubernetes read them: `<<` merges mappings, and `off` is false. Undefined for
 * a text that is not YAML. The parser is loaded on first use, because most runs need none and it delays the start of a
 * pack.
 */
export function yamlDocuments(text: string): readonly unknown[] | undefined {
  const { boolYaml11Tag, CORE_SCHEMA, loadAll, mergeTag } = createRequire(__filename)("js-yaml") as typeof yaml;
  try {
    return loadAll(text, { schema: CORE_SCHEMA.withTags(mergeTag, boolYaml11Tag) });
  } catch {
    return undefined;
  }
}
