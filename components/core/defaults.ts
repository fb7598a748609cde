/** An optional property: left out when it has no value, or an empty string. */
export function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined || value === "" ? {} : ({ [key]: value } as { [K in Key]?: Value });
}

/** The keys of `D` are always there in the result; an explicit `undefined` in `given` does not erase a default. */
export type WithDefaults<G extends object, D extends object> = Omit<G, keyof D> & {
  [K in keyof D]: K extends keyof G ? Exclude<G[K], undefined> | D[K] : D[K];
};

/**
 * Fills in defaults. Unlike `{...defaults, ...given}` an explicit `undefined` keeps the default, and it is dropped
 * altogether where there is none. So does a null, which an empty value of YAML becomes.
 */
export function withDefaults<G extends object, const D extends object>(given: G, defaults: D): WithDefaults<G, D> {
  const stated = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  return { ...defaults, ...Object.fromEntries(stated) } as WithDefaults<G, D>;
}
