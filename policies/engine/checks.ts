import type { Reading } from "../../components/core/reader/reading";
import type { Truth } from "../../components/core/reader/truth";
import type { Resource } from "./resource";
import { adviseIf, failIf, type Check, type Violation } from "./rule";

/** What is wrong with a value. */
export interface Fault extends Pick<Violation, "why" | "fix"> {
  /** @default the value, as the reading shows it */
  readonly got?: string;
}

/** The place of a value, and the value as a message shows it. */
export type Place = Pick<Reading<unknown>, "path" | "shown">;

/** A check of one value. */
export function failAt(place: Place, condition: Truth, fault: Fault): Check {
  return failIf(condition, () => ({ path: place.path, got: place.shown, ...fault }));
}

/** The same, but it only warns. */
export function adviseAt(place: Place, condition: Truth, fault: Fault): Check {
  return adviseIf(condition, () => ({ path: place.path, got: place.shown, ...fault }));
}

/** The checks of a stack rule for one resource. They are reported there, unless they name another resource. */
export function* on(resource: Resource, checks: Iterable<Check>): Iterable<Check> {
  for (const check of checks) yield { ...check, resource: check.resource ?? resource };
}

/** The checks of a stack rule for each of some resources. */
export function* onEach(
  resources: readonly Resource[],
  judge: (resource: Resource) => Iterable<Check>,
): Iterable<Check> {
  for (const resource of resources) yield* on(resource, judge(resource));
}

/** Whether a reading has this value. */
export function equals<T>(reading: Reading<T>, value: T): Truth {
  return reading.is((own) => own === value);
}
