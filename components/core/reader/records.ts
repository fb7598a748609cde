/** Whether a value of unknown origin is an object with keys: neither null nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An optional property: left out when it has no value, or an empty string. */
export function optionalProperty<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { [K in Key]?: Value } {
  return value === undefined || value === "" ? {} : ({ [key]: value } as { [K in Key]?: Value });
}
