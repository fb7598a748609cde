import { hasUnknown, secretValue, unknownSentinel, type Properties } from "../../../components/core/wire";

/** What the SDK calls an Output: a value, known or not, with what it must not be told to and what it waits for. */
export interface Value {
  /** Without wrappers; the sentinel where it is unknown, undefined when there is none. */
  readonly value: unknown;
  readonly secret: boolean;
  /** The URNs of the resources it comes from. */
  readonly dependencies: readonly string[];
}

export type Values = Readonly<Record<string, Value>>;

export function known(value: unknown): Value {
  return { value, secret: false, dependencies: [] };
}

/** What is made from other values: unknown while any of them is, and secret as soon as one is. */
export function derived(from: readonly Value[], make: (...values: unknown[]) => unknown): Value {
  const values = from.map(({ value }) => value);
  return { ...together(from), value: hasUnknown(values) ? unknownSentinel : make(...values) };
}

/** An object of values: each of them is unknown for itself. */
export function bundled(parts: Values): Value {
  const entries = Object.entries(parts).map(([key, { value }]) => [key, value] as const);
  return {
    ...together(Object.values(parts)),
    value: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
  };
}

/** Values in the form in which they travel. */
export function toWire(values: Values): Properties {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, { value }]) => value !== undefined)
      .map(([key, { value, secret }]) => [key, secret ? secretValue(value) : value]),
  );
}

function together(values: readonly Value[]): Pick<Value, "secret" | "dependencies"> {
  return {
    secret: values.some(({ secret }) => secret),
    dependencies: [...new Set(values.flatMap(({ dependencies }) => dependencies))],
  };
}
