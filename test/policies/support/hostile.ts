import { unknownSentinels } from "../../../components/core/reader/truth";

/** No value at all: the key is left out. */
export const missing = Symbol("missing");

/** Values that a user, an SDK or a provider may set instead of a valid one. */
export const hostileValues: readonly unknown[] = [
  missing,
  undefined,
  null,
  "",
  " ",
  "x",
  "2",
  "true",
  "latest",
  "26.3.1",
  "gpu-operator",
  "\u0000\uD800",
  "y".repeat(100_000),
  0,
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1e9,
  1e300,
  true,
  false,
  [],
  [[]],
  [{}],
  [{ minSize: 3, maxSize: 2, version: "x" }],
  Array.from({ length: 1000 }, (_, index) => index),
  {},
  { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value: 3 },
  JSON.parse('{"__proto__": {"minSize": 3}, "constructor": null, "toString": 1, "length": -1}'),
  unknownSentinels.text,
  [unknownSentinels.text],
];

export type Key = string | number;

/** Every path of a value, its containers included. */
export function pathsOf(value: unknown, path: readonly Key[] = []): (readonly Key[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    pathsOf(item, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return path.length === 0 ? inner : [path, ...inner];
}

/** A copy with another value at a path, as far as the path still exists. */
export function withValue(value: unknown, [key, ...rest]: readonly Key[], put: unknown): unknown {
  if (key === undefined) return put;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return value;
  const changed = Object.entries(value).map(([name, item]: [string, unknown]) =>
    name === String(key) ? [name, withValue(item, rest, put)] : [name, item],
  );
  const left = changed.filter(([, item]) => item !== missing);
  return Array.isArray(value) ? left.map(([, item]) => item) : Object.fromEntries(left);
}
