import type { Reader } from "../../components/core/reader/reader";
import type { Reading } from "../../components/core/reader/reading";
import { any, some, type Truth } from "../../components/core/reader/truth";
import { failIf, type Check } from "../engine/rule";

/**
 * The objects in a list, such as containers. Omits values that are neither objects nor unknown: Kubernetes rejects
 * them.
 */
export function blocks(list: Reading<readonly Reader[]>): Reading<readonly Reader[]> {
  return list.map(
    (items) => items.filter((item) => item.entries().is(() => true) !== false),
    () => list.shown,
  );
}

/** Whether a value is one of these. */
export function equals<T>(reading: Reading<T>, ...values: readonly T[]): Truth {
  return reading.is((value) => values.includes(value));
}

/** Undetermined if a value is unknown, else false. */
export function openIn(...readings: readonly Reading<unknown>[]): Truth {
  return any(...readings.map((reading) => reading.is(() => false)));
}

/** Whether a condition is true for an item of a list that may be unknown. */
export function someOf<T>(list: Reading<readonly T[]>, condition: (item: T) => Truth): Truth {
  return list.is((items) => some(items, condition));
}

/** The checks of every item. An unknown list gives one undetermined check. */
export function* each<T>(list: Reading<readonly T[]>, judge: (item: T) => Iterable<Check>): Iterable<Check> {
  yield failIf(openIn(list), () => ({ path: list.path, got: list.shown, why: "", fix: "" }));
  for (const item of list.value ?? []) yield* judge(item);
}
