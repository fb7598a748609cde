import type { Input } from "@pulumi/pulumi";
import * as v from "valibot";
import { isOutput } from "./outputs";
import { explain, here, isPlainObject, issueOf, type Entries, type Schema } from "./parse";
import { show, type Problem } from "./problems";
import { ownValue } from "./reader/records";

export * from "./parse";

// The vocabulary of schemas: what an argument can be.

/**
 * An object of named arguments. Unknown keys are problems; `hints` contains the fix for keys that users know from other
 * tools.
 */
export function section<E extends Entries>(
  entries: E,
  hints: Readonly<Record<string, string>> = {},
  message = explain("Must be an object.", "set the keys of {path}"),
) {
  return Object.assign(objectOf(entries, message), { hints });
}

/** An object with these keys. Valibot alone accepts a list, and an Output, as an object without keys. */
function objectOf<E extends Entries>(entries: E, message: string) {
  const schema = v.object(entries, message);
  const run: (typeof schema)["~run"] = (dataset, config) => {
    if (isPlainObject(dataset.value)) return schema["~run"](dataset, config);
    v._addIssue(schema, "type", dataset, config);
    return dataset as never;
  };
  return { ...schema, "~run": run } as typeof schema;
}

/** An optional argument, with its default if it has one. */
export const optional = v.optional;

/** A whole number from `min` to `max`. `below` states why a smaller number does not work. */
export function wholeNumber(range: { min: number; max?: number; unit?: string; below?: string; above?: string }) {
  const { min, max = Number.MAX_SAFE_INTEGER, unit } = range;
  const span = range.max === undefined ? `${min} or more` : `from ${min} to ${max}`;
  const units = unit === undefined ? "" : ` ${unit}`;
  const fix = `set {path} to a whole number${unit === undefined ? "" : ` of ${unit}`}, ${span}`;
  const outside = `Must be ${span}${units}.`;
  return v.pipe(
    v.number(({ input }) => explainNumber(input, fix)),
    v.integer(explain("Must be a whole number.", fix)),
    v.minValue(min, explain(range.below ?? outside, fix)),
    v.maxValue(max, explain(range.above ?? outside, fix)),
  );
}

/** A part of a whole: a number from 0.01 to 1. */
export function share() {
  const message = explain("Must be a number from 0.01 to 1.", "set {path} to a number such as 0.9");
  return v.pipe(v.number(message), v.minValue(0.01, message), v.maxValue(1, message));
}

function explainNumber(input: unknown, fix: string): string {
  const quoted = typeof input === "string" && input.trim() !== "" && Number.isInteger(Number(input));
  return quoted
    ? explain("Must be a number, not a string.", `set {path} to ${Number(input)}, without quotes`)
    : explain("Must be a whole number.", fix);
}

/** True or false. */
export function flag() {
  return v.boolean(({ input }) => explain("Must be true or false.", `set {path} to ${flagFix(input)}`));
}

function flagFix(input: unknown): string {
  if (typeof input !== "string") return "true or false";
  const word = input.toLowerCase();
  if (word !== "true" && word !== "false") return "true or false, without quotes";
  return word === input ? `${word}, without quotes` : `${word}, in lowercase`;
}

/** One of a fixed list of words. `meant` contains the word for names that users know from other tools. */
export function oneOf<const Words extends readonly string[]>(
  words: Words,
  meant: Readonly<Record<string, string>> = {},
) {
  const choices = words.map((word) => show(word)).join(", ");
  return v.picklist(words, ({ input }) => {
    const word = typeof input === "string" ? ownValue(meant, input) : undefined;
    const fix = word !== undefined && words.includes(word) ? show(word) : `one of ${choices}`;
    return explain(`Must be one of ${choices}.`, `set {path} to ${fix}`);
  });
}

/** A string. With a pattern, `form` completes the sentence "Must be …", and `fix` describes how to write it. */
export function text(fix = "set {path} to a string") {
  return v.string(explain("Must be a string.", fix));
}
export function matching(pattern: RegExp, form: string, fix: string) {
  return v.pipe(text(fix), v.regex(pattern, explain(`Must be ${form}.`, fix)));
}

/**
 * A list, optionally with at least one item, or without repeated items. `example` shows one in the fix.
 */
export function list<Given, Value>(
  item: Schema<Given, Value>,
  example: string,
  { notEmpty = false, distinct = false }: { notEmpty?: boolean; distinct?: boolean } = {},
): Schema<readonly Given[], readonly Value[]> {
  const fix = `set {path} to a list such as ${example}`;
  const items = v.array(item, explain("Must be a list.", fix));
  const filled = v.minLength<Value[], 1, string>(1, explain("Must have at least one item.", fix));
  const checked = notEmpty ? v.pipe(items, filled) : items;
  return distinct ? v.pipe(checked, check<Value[]>(repetitions)) : checked;
}

/** Items that repeat an earlier one. */
function repetitions(items: readonly unknown[], at: string): Problem[] {
  return items.flatMap((got, index): Problem[] => {
    const first = items.indexOf(got);
    if (first === index || isOutput(got)) return [];
    const path = `${at}[${index}]`;
    return [{ code: "conflict", path, got, why: `Repeats ${at}[${first}].`, fix: `remove ${path}` }];
  });
}

/** An object whose keys the user chooses, such as labels. `example` shows one in the fix. */
export function mapOf<Given, Value>(
  value: Schema<Given, Value>,
  example: string,
): Schema<Readonly<Record<string, Given>>, Readonly<Record<string, Value>>> {
  const message = explain("Must be an object.", `set {path} to an object such as ${example}`);
  // Valibot's own record drops keys such as "constructor".
  const keysOf = (given: unknown) => (isPlainObject(given) ? Object.keys(given) : []);
  const map = v.lazy((given) => objectOf(Object.fromEntries(keysOf(given).map((key) => [key, value])), message));
  return Object.assign(map, { values: value });
}

/** A value that only AWS or Kubernetes reads: an Output is not checked. */
export function input<Given, Value>(plain: Schema<Given, Value>): Schema<Input<Given>, Input<Value>> {
  return v.lazy((given: unknown) => (isOutput(given) ? v.any() : plain));
}

/** A value that only the compiler checks, or a separate check. */
export function anything<T>(): Schema<T> {
  return v.any();
}

/** A list of ids or ARNs, which may be one Output: that is what programs in other languages get from a component. */
function inputList<Given>(plain: Schema<readonly Given[]>): Schema<readonly Given[]> {
  return typed<readonly Given[]>(input(plain));
}

/** The form of a value that a check reads whole: the schema of the package for other languages states it. */
function formed<T>(form: "string" | "integer") {
  return v.metadata<T, { readonly form: typeof form }>({ form });
}

/** The schema, with the narrower types that its checks guarantee. */
export function typed<Given, Value = Given>(schema: Schema): Schema<Given, Value> {
  return schema as Schema<Given, Value>;
}

/** A check of one value or one section. It runs if the form is valid. `at` is the path of the value. */
export function check<T>(find: (value: NoInfer<T>, at: string) => readonly Problem[]) {
  return v.rawCheck<T>(({ dataset, addIssue }) => {
    if (!dataset.typed || dataset.issues) return;
    for (const problem of find(dataset.value, here)) addIssue(issueOf(problem));
  });
}

/** A check of some arguments of a section. It runs if their form is valid. */
export function conflict<T extends object, K extends keyof T & string>(
  needs: readonly K[],
  find: (values: NoInfer<Pick<T, K>>, at: string) => readonly Problem[],
) {
  return v.rawCheck<T>(({ dataset, addIssue }) => {
    const wrong = (dataset.issues ?? []).map(({ path }) => path?.[0]?.key);
    if (wrong.some((key) => key === undefined || needs.some((needed) => needed === key))) return;
    for (const problem of find(dataset.value as T, here)) addIssue(issueOf(problem));
  });
}

/** The defaults of a section's arguments, for those that have one. */
type DefaultsOf<E extends Entries> = {
  readonly [
    K in keyof E as E[K] extends v.OptionalSchema<Schema, infer D> ? (undefined extends D ? never : K) : never
  ]: E[K] extends v.OptionalSchema<Schema, infer D> ? D : never;
};

/** The names of a section's arguments. */
export function keysOf<E extends Entries>({ entries }: { readonly entries: E }): (keyof E & string)[] {
  return Object.keys(entries);
}

/** The defaults of a section: the value of each omitted key. */
export function defaultsOf<E extends Entries>(schema: { readonly entries: E }): DefaultsOf<E> {
  const stated = Object.entries(schema.entries).flatMap(([key, entry]) => {
    const value: unknown = v.getDefault(entry);
    return value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(stated) as DefaultsOf<E>;
}

/** The vocabulary of schemas, for files that describe arguments: `s.optional(s.flag(), false)`. */
export const s = {
  anything,
  check,
  conflict,
  explain,
  flag,
  formed,
  input,
  inputList,
  list,
  mapOf,
  matching,
  oneOf,
  optional,
  section,
  share,
  text,
  typed,
  wholeNumber,
} as const;
