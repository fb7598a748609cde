import { isRecord } from "../../core/reader/records";
/** A value in a YAML or JSON document. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/**
 * Merges one document over another as Helm does: objects are merged key by key, and all other values, including lists,
 * are replaced.
 */
export function mergeValues(under: JsonObject, over: JsonObject): JsonObject {
  const merged = Object.entries(over).map(([key, value]): [string, Json] => {
    const below = Object.hasOwn(under, key) ? under[key] : undefined;
    return [key, isRecord(below) && isRecord(value) ? mergeValues(below, value) : value];
  });
  return { ...under, ...Object.fromEntries(merged) };
}
