import { isRecord } from "../../core/reader/records";
/** What a YAML or JSON document can hold. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** Lays one document over another as Helm does: objects merge key by key, everything else, lists too, replaces. */
export function mergeValues(under: JsonObject, over: JsonObject): JsonObject {
  const merged = Object.entries(over).map(([key, value]): [string, Json] => {
    const below = Object.hasOwn(under, key) ? under[key] : undefined;
    return [key, isRecord(below) && isRecord(value) ? mergeValues(below, value) : value];
  });
  return { ...under, ...Object.fromEntries(merged) };
}

/** The value at a path such as `["dcgm", "enabled"]`; undefined when a step is missing or not an object. */
export function valueAt(values: unknown, path: readonly string[]): unknown {
  let value = values;
  for (const key of path) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}
