import { any, Reading, some, Undetermined, type Reader, type Truth } from "../engine/values";
import { failIf, type Check } from "../engine/rule";

/**
 * The objects in a list, such as containers. Omits values that are neither objects nor unknown: Kubernetes rejects
 * them.
 */
export function blocks(list: Reading<readonly Reader[]>): Reading<readonly Reader[]> {
  return filtered(list, (item) => item.entries().is(() => true) !== false);
}

/** Whether a value is an object. */
export function isBlock(node: Reader): boolean {
  return node.list().value === undefined && node.entries().value !== undefined;
}

/** The items of a list that meet a condition. A message shows the whole list. */
export function filtered<T>(list: Reading<readonly T[]>, keeps: (item: T) => boolean): Reading<readonly T[]> {
  const items = list.value?.filter(keeps);
  return items ? Reading.known(list.path, items, list.shown) : list;
}

/** More items than a group has instance types. */
export const longest = 300;

/** The texts in a list. A list that is unknown as a whole gives one unknown text. */
export function textsIn(holder: Reader, path: string): Reading<string>[] {
  const list = holder.list(path);
  if (list.value) return list.value.slice(0, longest).map((item) => item.text());
  return list.isAbsent === true ? [] : [holder.text(path)];
}

/** Undetermined if a value is unknown, else false. */
export function openIn(...readings: readonly Reading<unknown>[]): Truth {
  return any(...readings.map((reading) => reading.is(() => false)));
}

/** An answer, or undetermined if something is unknown. */
export function orOpen(answer: boolean, open: readonly string[]): Truth {
  return open.length === 0 ? answer : new Undetermined([...new Set(open)]);
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
