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
