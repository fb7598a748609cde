import type { Input } from "@pulumi/pulumi";
import * as v from "valibot";
import { isOutput, requirePlainValue } from "./outputs";
import { refuse, show, type Problem, type ProblemCode } from "./problems";
import { isRecord } from "./reader/records";
import { nearest } from "./suggest";

/**
 * Describes arguments: a schema holds each argument's name, type, unit, range and default; its documentation is the
 * comment above the key. Types, defaults, known keys, the configuration reference and all checks come from the schema.
 *
 * Valibot checks the form of a value. A text of a schema is `why` and `fix`, a line each; `{path}` in it stands for the
 * path of the value.
 * @see https://valibot.dev/guides/schemas/
 */
export type Schema<Given = unknown, Value = Given> = v.GenericSchema<Given, Value>;

/** What a caller may pass for a schema. */
export type GivenOf<S extends Schema> = v.InferInput<S>;

/** What a schema makes of it: defaults filled in. */
export type ValueOf<S extends Schema> = v.InferOutput<S>;

type Entries = v.ObjectEntries;

/** An object of named arguments. Unknown keys are problems; `hints` holds the fix for keys that users bring along. */
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

/** Whether a value is an object whose keys are known now. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !isOutput(value);
}

/** An argument that may be left out, with its default where it has one. */
export const optional = v.optional;

/** A whole number from `min` to `max`. `below` says why a smaller one cannot work. */
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

function explainNumber(input: unknown, fix: string): string {
  const quoted = typeof input === "string" && input.trim() !== "" && Number.isInteger(Number(input));
  return quoted
    ? explain("Must be a number, not a string.", `set {path} to ${Number(input)}, without quotes`)
    : explain("Must be a whole number.", fix);
}

/** True or false. */
export function flag() {
  return v.boolean(({ input }) =>
    explain(
      "Must be true or false.",
      `set {path} to true or false${typeof input === "string" ? ", without quotes" : ""}`,
    ),
  );
}

/** One of a fixed list of words. `meant` holds the word for names that users bring along. */
export function oneOf<const Words extends readonly string[]>(
  words: Words,
  meant: Readonly<Record<string, string>> = {},
) {
  const choices = words.map((word) => show(word)).join(", ");
  return v.picklist(words, ({ input }) => {
    const word = typeof input === "string" && Object.hasOwn(meant, input) ? meant[input] : undefined;
    const fix = word !== undefined && words.includes(word) ? show(word) : `one of ${choices}`;
    return explain(`Must be one of ${choices}.`, `set {path} to ${fix}`);
  });
}

/** A string. With a pattern, `form` completes the sentence "Must be …", and `fix` says how to write it. */
export function text(fix = "set {path} to a string") {
  return v.string(explain("Must be a string.", fix));
}
export function matching(pattern: RegExp, form: string, fix: string) {
  return v.pipe(text(fix), v.regex(pattern, explain(`Must be ${form}.`, fix)));
}

/**
 * A list, where asked for of at least one item, or of items that do not repeat. `example` shows one in the fix.
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
  return (distinct ? v.pipe(checked, check<Value[]>(repetitions)) : checked) as never;
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
  return Object.assign(map, { values: value }) as never;
}

/** A value that AWS or Kubernetes reads, and nothing here decides on: an Output is not checked. */
export function input<Given, Value>(plain: Schema<Given, Value>): Schema<Input<Given>, Input<Value>> {
  return v.lazy((given: unknown) => (isOutput(given) ? v.any() : plain)) as never;
}

/** A value of a type that only the compiler checks, or a check of its own. */
export function anything<T>(): Schema<T> {
  return v.any() as Schema<T>;
}

/** A check of one value or one section: runs once its form is right. `at` is the path of the value. */
export function check<T>(find: (value: NoInfer<T>, at: string) => readonly Problem[]) {
  return v.rawCheck<T>(({ dataset, addIssue }) => {
    if (!dataset.typed || dataset.issues) return;
    for (const problem of find(dataset.value, here)) addIssue(issueOf(problem));
  });
}

/** A check of some of a section's arguments: runs once the form of these is right. */
export function conflict<T extends object, K extends keyof T & string>(
  needs: readonly K[],
  find: (values: NoInfer<Pick<T, K>>, at: string) => readonly Problem[],
) {
  return v.rawCheck<T>(({ dataset, addIssue }) => {
    const wrong = (dataset.issues ?? []).map(({ path }) => String(path?.[0]?.key ?? ""));
    if (wrong.includes("") || needs.some((key) => wrong.includes(key))) return;
    for (const problem of find(dataset.value as T, here)) addIssue(issueOf(problem));
  });
}

/** Stands for the path of a checked value until that is known. */
const here = "\u0001";
const marks = new RegExp(`${here}\\.?`, "g");

/** A problem as an issue of Valibot, whose own fields carry it. */
function issueOf({ code, path, got, why, fix }: Problem) {
  const key = { type: "object", origin: "value", input: {}, key: path, value: got } as const;
  return { message: why, expected: fix, received: code, input: got, path: [key] as [v.IssuePathItem] };
}

/** `why` and `fix` as one text of a schema. */
export function explain(why: string, fix: string): string {
  return `${why}\n${fix}`;
}

/** Every problem of the arguments, and their values with defaults filled in where there are none. */
export type Parsed<Value> =
  | { readonly value: Value; readonly problems: readonly [] }
  | { readonly value?: never; readonly problems: readonly Problem[] };

/** Checks arguments and fills in defaults. `at` leads the paths of the problems. */
export function parse<S extends Schema>(schema: S, given: unknown, at = ""): Parsed<ValueOf<S>> {
  const unknown: Problem[] = [];
  const { success, output, issues } = v.safeParse(schema, knownKeys(schema, given, at, unknown));
  // A misspelt key is reported as such, and not once more as what its object lacks.
  const misspelt = new Set(unknown.map(({ path }) => path.slice(0, path.lastIndexOf("."))));
  const found = firstOfEachForm((issues ?? []).map((issue) => problemOf(issue, at)));
  const problems = [...unknown, ...found.filter(({ code, path }) => code !== "missing" || !misspelt.has(path))];
  return success && problems.length === 0 ? { value: output, problems: [] } : { problems };
}

/** What a schema holds inside: keys of a section, values of a map, items of a list, or another schema of the value. */
type Inner = {
  entries?: Entries;
  values?: Schema;
  item?: Schema;
  wrapped?: Schema;
  /** Chooses the schema by the value. */
  getter?: (given: unknown) => Schema;
  hints?: Readonly<Record<string, string>>;
};

/** The values of known keys, at every depth; other keys become problems. A required key that is missing gets undefined. */
function knownKeys(schema: Schema, given: unknown, at: string, problems: Problem[]): unknown {
  const { entries, values, wrapped, item, getter, hints = {} } = schema as Inner;
  if (wrapped) return knownKeys(wrapped, given, at, problems);
  if (getter && !values) return knownKeys(getter(given), given, at, problems);
  if (item && Array.isArray(given)) {
    return given.map((one, index) => knownKeys(item, one, `${at}[${index}]`, problems));
  }
  if (!isPlainObject(given)) return given;
  if (values) {
    const pairs = Object.entries(given);
    return Object.fromEntries(pairs.map(([key, one]) => [key, knownKeys(values, one, step(at, key), problems)]));
  }
  if (!entries) return given;
  const known = Object.keys(entries);
  problems.push(...unknownKeys(at, given, known, hints));
  const stated = known.filter((key) => given[key] !== undefined || entries[key]?.type !== "optional");
  return Object.fromEntries(
    stated.map((key) => [key, knownKeys(entries[key] as Schema, given[key], join(at, key), problems)]),
  );
}

/** A longer list of keys does not help. */
const mostNamed = 24;

/** A problem for each key that is not known; a key without a value counts as left out. */
export function unknownKeys(
  at: string,
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
  hints: Readonly<Record<string, string>> = {},
  why = "Unknown key.",
): Problem[] {
  return Object.entries(given)
    .filter(([key, value]) => value !== undefined && !known.includes(key))
    .map(([key, got]) => {
      const meant = nearest(key, known);
      const remove = known.length <= mostNamed ? `use one of ${known.join(", ")}` : `remove ${join(at, key)}`;
      const suggestion = meant === undefined ? remove : `did you mean ${join(at, meant)}?`;
      const hint = Object.hasOwn(hints, key) ? hints[key]?.replaceAll("{at}", at) : undefined;
      const fix = hint ?? suggestion;
      return { code: "unknown-key", path: join(at, key === "" ? '""' : key), got, why, fix };
    });
}

/** `gpuNodes` and `maxSize` make `gpuNodes.maxSize`; an empty parent leaves the key alone. */
export function join(at: string, key: string): string {
  return at === "" ? key : `${at}.${key}`;
}

/** A value that has the wrong form in several ways has one problem of form. */
function firstOfEachForm(problems: readonly (Problem & { readonly isForm: boolean })[]): Problem[] {
  const paths = new Set<string>();
  return problems.flatMap(({ isForm, ...problem }) => {
    if (isForm && paths.has(problem.path)) return [];
    if (isForm) paths.add(problem.path);
    return [problem];
  });
}

function problemOf(issue: v.BaseIssue<unknown>, at: string): Problem & { readonly isForm: boolean } {
  const items = [...(issue.path ?? [])];
  const inside = issue.type === "raw_check" ? String(items.pop()?.key) : undefined;
  const path = items.reduce((parent, { key }) => step(parent, key), at);
  if (inside === undefined) return { ...formProblem(issue, path || "args"), isForm: true };
  // One pass: where a check parses, `path` holds the mark itself.
  const placed = (line: string) => line.replace(marks, (mark) => (mark === here ? path || "args" : join(path, "")));
  const { received, input: got, message, expected } = issue;
  const texts = { why: placed(message), fix: placed(expected ?? "") };
  return { code: received as ProblemCode, path: placed(inside), got, ...texts, isForm: false };
}

function formProblem(issue: v.BaseIssue<unknown>, path: string): Problem {
  const { input: got, message } = issue;
  if (isOutput(got)) return requirePlainValue(path)[0] as Problem;
  const [why = "", fix = ""] = message.replaceAll("{path}", path).split("\n");
  if (got === undefined) return { code: "missing", path, got, why: "Must be set.", fix };
  return { code: codes[issue.type] ?? "wrong-type", path, got, why, fix };
}

const codes: Readonly<Record<string, ProblemCode>> = {
  min_value: "out-of-range",
  max_value: "out-of-range",
  min_length: "missing",
  max_length: "out-of-range",
  picklist: "not-allowed",
  regex: "not-allowed",
};

function step(at: string, key: unknown): string {
  if (typeof key === "number") return `${at}[${key}]`;
  const name = String(key);
  return /^[\w-]+$/.test(name) ? join(at, name) : `${at}[${JSON.stringify(name)}]`;
}

/** The defaults of a section's arguments, for those that have one. */
export type DefaultsOf<E extends Entries> = {
  readonly [
    K in keyof E as E[K] extends v.OptionalSchema<Schema, infer D> ? (undefined extends D ? never : K) : never
  ]: E[K] extends v.OptionalSchema<Schema, infer D> ? D : never;
};

/** The names of a section's arguments. */
export function keysOf<E extends Entries>({ entries }: { readonly entries: E }): (keyof E & string)[] {
  return Object.keys(entries);
}

/** The defaults of a section: what a key that is left out becomes. */
export function defaultsOf<E extends Entries>(schema: { readonly entries: E }): DefaultsOf<E> {
  const stated = Object.entries(schema.entries).flatMap(([key, entry]) => {
    const value = v.getDefault(entry) as unknown;
    return value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(stated) as DefaultsOf<E>;
}

const resolvedArgs = new WeakSet<object>();

/**
 * Marks arguments that a parent has checked and completed, so that its child does not check them again. `Complete` is
 * the type of the child's complete arguments: without it, nothing can be passed.
 */
export function resolved<Complete extends object = never>(args: NoInfer<Complete>): Complete {
  resolvedArgs.add(args);
  return args;
}

/**
 * The arguments of a component, checked and completed once: by its parent, or here.
 *
 * @param subject what is being read, e.g. `GpuNodeGroup "gpu"`
 * @param complete fills in what follows from several arguments
 * @param others problems that are not of the arguments, such as those of the component's name
 * @throws InputError with every problem
 */
export function resolveArgs<S extends Schema, T extends object>(
  subject: string,
  schema: S,
  args: unknown,
  complete: (value: ValueOf<S>) => T,
  others: readonly Problem[] = [],
): T {
  const isResolved = typeof args === "object" && args !== null && resolvedArgs.has(args);
  const { value, problems } = isResolved ? { value: undefined, problems: [] } : parse(schema, args);
  refuse(subject, [...others, ...problems]);
  return isResolved ? (args as T) : complete(value as ValueOf<S>);
}

/** Every problem of a value. */
export function problemsIn(schema: Schema, given: unknown, at = ""): readonly Problem[] {
  return parse(schema, given, at).problems;
}
