import { isOutput, requirePlainValue } from "./outputs";
import { show, type Problem } from "./problems";
import { isRecord } from "./reader/records";
import { nearest } from "./suggest";

/**
 * Checks of single values. Each returns the problems it found, an empty list when the value is fine, so that a
 * component gathers the problems of all its arguments before it refuses any. All of them want a plain value: what is
 * known only later is refused as such.
 */

/** A whole number within a range, both ends included. */
export function wholeNumber(
  path: string,
  got: unknown,
  range: { min: number; max?: number; unit?: string },
): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  const unit = range.unit ? ` ${range.unit}` : "";
  const span = range.max === undefined ? `${range.min} or more` : `from ${range.min} to ${range.max}`;
  const fix = `set ${path} to a whole number${unit ? ` of${unit}` : ""}, ${span}`;
  if (typeof got === "string" && got.trim() !== "" && Number.isInteger(Number(got))) {
    const bare = `set ${path} to ${Number(got)}, without quotes`;
    return [{ code: "wrong-type", path, got, why: "It is a text, and must be a number.", fix: bare }];
  }
  if (typeof got !== "number" || Number.isNaN(got)) {
    return [{ code: "wrong-type", path, got, why: "It must be a whole number.", fix }];
  }
  if (!Number.isInteger(got)) {
    return [{ code: "wrong-type", path, got, why: "It must be a whole number.", fix }];
  }
  if (got < range.min || (range.max !== undefined && got > range.max)) {
    return [{ code: "out-of-range", path, got, why: `It must be ${span}${unit}.`, fix }];
  }
  return [];
}

/** A switch. */
export function trueOrFalse(path: string, got: unknown): Problem[] {
  if (typeof got === "boolean") return [];
  if (isOutput(got)) return requirePlainValue(path);
  const fix = `set ${path} to true or false${typeof got === "string" ? ", without quotes" : ""}`;
  return [{ code: "wrong-type", path, got, why: "It must be true or false.", fix }];
}

/** One of a fixed set of texts. */
export function oneOf(path: string, got: unknown, allowed: readonly string[]): Problem[] {
  if (typeof got === "string" && allowed.includes(got)) return [];
  if (isOutput(got)) return requirePlainValue(path);
  const choices = allowed.map((a) => show(a)).join(", ");
  return [
    { code: "not-allowed", path, got, why: `It must be one of ${choices}.`, fix: `set ${path} to one of ${choices}` },
  ];
}

/** A text of a given form. `form` completes the sentence "It must be …". */
export function matching(path: string, got: unknown, pattern: RegExp, form: string, fix: string): Problem[] {
  if (isOutput(got)) return requirePlainValue(path);
  if (typeof got !== "string") return [{ code: "wrong-type", path, got, why: "It must be a text.", fix }];
  if (pattern.test(got)) return [];
  return [{ code: "not-allowed", path, got, why: `It must be ${form}.`, fix }];
}

/** Every key of the interface `Args`: the compiler refuses a list that lacks one, or has one that `Args` has not. */
export function keysOf<Args extends object>(keys: Readonly<Record<keyof Args, true>>): readonly string[] {
  return Object.keys(keys);
}

/** A longer list of keys helps nobody. */
const mostNamed = 24;

/**
 * None but `known` keys; a key without a value counts as left out. `hints` holds the fix for single unknown keys, `why`
 * says what becomes of one where that is known.
 */
export function onlyKeys(
  path: string,
  got: Readonly<Record<string, unknown>>,
  known: readonly string[],
  hints: Readonly<Record<string, string>> = {},
  why = "There is no such key.",
): Problem[] {
  return Object.entries(got)
    .filter(([key, value]) => value !== undefined && !known.includes(key))
    .map(([key, value]): Problem => {
      const meant = nearest(key, known);
      const among = known.length <= mostNamed ? `choose among ${known.join(", ")}` : `remove ${join(path, key)}`;
      const otherwise = meant ? `did you mean ${join(path, meant)}?` : among;
      const fix = (Object.hasOwn(hints, key) ? hints[key] : undefined) ?? otherwise;
      return { code: "unknown-key", path: join(path, key === "" ? '""' : key), got: value, why, fix };
    });
}

/** `gpuNodes` and `maxSize` make `gpuNodes.maxSize`; an empty parent leaves the key alone. */
export function join(at: string, key: string): string {
  return at === "" ? key : `${at}.${key}`;
}

/** The arguments of a component, or one of its keys, that are no object. */
export function noObject(path: string, got: unknown): Problem[] {
  const where = path || "args";
  if (isOutput(got)) return requirePlainValue(where);
  return [{ code: "wrong-type", path: where, got, why: "It must be an object.", fix: `set the keys of ${where}` }];
}

/** Whether a value is an object whose keys are known now: an Output is an object too, with keys of its own. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !isOutput(value);
}
