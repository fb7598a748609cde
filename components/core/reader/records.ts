/** Whether a value of unknown origin is an object with keys: neither null nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of an object's own key; undefined for a key that it lacks or inherits, such as `constructor`. */
export function ownValue<Value>(object: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The value of an object's own key. Calls neither a getter nor the `get` of a proxy, which may throw. */
export function plainValue(object: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(object, key)?.value;
}

/**
 * Merges one object over another as Helm does: objects are merged key by key, and all other values, including lists,
 * are replaced.
 */
export function deepMerge<Under extends object, Over extends object>(under: Under, over: Over): Under & Over {
  const merged = Object.entries(over).map(([key, value]: [string, unknown]) => {
    const below = ownValue(under as Readonly<Record<string, unknown>>, key);
    return [key, isRecord(below) && isRecord(value) ? deepMerge(below, value) : value];
  });
  return { ...under, ...(Object.fromEntries(merged) as Over) };
}

/** An optional property: left out when it has no value, or an empty string. */
export function optionalProperty<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { [K in Key]?: Value } {
  return value === undefined || value === "" ? {} : ({ [key]: value } as { [K in Key]?: Value });
}

/** Drops keys whose value is undefined: `{a: undefined}` becomes `{}`. */
export function withoutUndefined<T extends object>(record: T): WithoutUndefined<T> {
  const present: Record<string, unknown> = {};
  for (const key in record) if (record[key] !== undefined) present[key] = record[key];
  return present as WithoutUndefined<T>;
}

export type WithoutUndefined<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
