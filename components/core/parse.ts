import * as v from "valibot";
import { isOutput } from "./outputs";
import { type Problem, type ProblemCode, refuse, requirePlainValue } from "./problems";
import { join, step } from "./reader/paths";
import { Reader } from "./reader/reader";
import { isRecord, ownValue } from "./reader/records";
import { nearest } from "./suggest";

/**
 * Describes arguments: a schema contains each argument's name, type, unit, range and default; its documentation is the
 * comment above the key. Types, defaults, known keys, the configuration reference and all checks are derived from the
 * schema.
 *
 * Valibot checks the form of a value. A message of a schema has two lines, `why` and `fix`; `{path}` is replaced with
 * the path of the value.
 * @see https://valibot.dev/guides/schemas/
 */
export type Schema<Given = unknown, Value = Given> = v.GenericSchema<Given, Value>;

/** What a caller may pass for a schema. */
export type GivenOf<S extends Schema> = v.InferInput<S>;

/** The result of a schema, with defaults filled in. */
export type ValueOf<S extends Schema> = v.InferOutput<S>;

export type Entries = v.ObjectEntries;

/** Placeholder for the path of a checked value until the path is known. */
export const here = "\u0001";
const marks = new RegExp(`${here}\\.?`, "g");

/** A problem as an issue of Valibot, whose own fields carry it. */
export function issueOf({ code, path, got, why, fix }: Problem) {
  const key = { type: "object", origin: "value", input: {}, key: path, value: got } as const;
  return { message: why, expected: fix, received: code, input: got, path: [key] as [v.IssuePathItem] };
}

/** `why` and `fix` as one message of a schema. */
export function explain(why: string, fix: string): string {
  return `${why}\n${fix}`;
}

/** The problems of the arguments; without problems, their values with defaults filled in. */
export type Parsed<Value> =
  | { readonly value: Value; readonly problems: readonly [] }
  | { readonly value?: never; readonly problems: readonly Problem[] };

/** Checks arguments and fills in defaults. `at` is the prefix of the paths of the problems. */
export function parse<S extends Schema>(schema: S, given: unknown, at = ""): Parsed<ValueOf<S>> {
  const unknown: Problem[] = [];
  const { success, output, issues } = v.safeParse(schema, knownKeys(schema, given, at, unknown));
  // A misspelt key is reported as such, and not once more as what its object lacks.
  const misspelt = new Set(unknown.map(({ path }) => path.slice(0, path.lastIndexOf("."))));
  const found = withDefaults(firstOfEachForm((issues ?? []).map((issue) => problemOf(issue, at))), given, at);
  const problems = [...unknown, ...found.filter(({ code, path }) => code !== "missing" || !misspelt.has(path))];
  return success && problems.length === 0 ? { value: output, problems: [] } : { problems };
}

/** The problems, with a mark on those of values that `given`, whose path is `at`, does not state. */
export function withDefaults(problems: readonly Problem[], given: unknown, at = ""): readonly Problem[] {
  const within = at === "" ? "" : `${at}.`;
  // A stated list has its items.
  const isStated = (path: string) =>
    new Reader(given).text(path.slice(within.length).split("[", 1)[0]).isAbsent !== true;
  // Other paths are not arguments, such as the account or aws:region.
  const isArgument = (path: string) => path.startsWith(within) && /^[\w.[\]-]+$/.test(path);
  const isDefault = ({ path, got }: Problem) =>
    got !== undefined && isArgument(path) && isPlainObject(given) && !isStated(path);
  return problems.map((problem) => (isDefault(problem) ? { ...problem, isDefault: true } : problem));
}

/** The content of a schema: keys of a section, values of a map, items of a list, or another schema of the value. */
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

/** A problem for each key that is not known; a key without a value counts as omitted. */
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
      const remove = known.length <= mostNamed ? `use one of ${known.join(", ")}` : `remove ${step(at, key)}`;
      const suggestion = meant === undefined ? remove : `did you mean ${join(at, meant)}?`;
      const hint = ownValue(hints, key)?.replaceAll("{at}", at);
      const fix = hint ?? suggestion;
      return { code: "unknown-key", path: step(at, key), got, why, fix };
    });
}

/** A value of the wrong form has only one problem of form. */
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
  const path = items.reduce((parent, { key }) => step(parent, typeof key === "number" ? key : String(key)), at);
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

const resolvedArgs = new WeakSet<object>();

/**
 * Marks arguments that a parent has checked and completed, so that its child does not check them again. `Complete` is
 * the type of the child's complete arguments: without it, nothing can be passed.
 */
export function resolved<Complete extends object = never>(args: NoInfer<Complete>): Complete {
  resolvedArgs.add(args);
  return args;
}

/** The arguments of a component, as {@link completeArgs}, where none follows from others. */
export function resolveArgs<S extends Schema>(
  subject: string,
  schema: S,
  args: unknown,
  others: readonly Problem[] = [],
): ValueOf<S> {
  return completeArgs(subject, schema, args, (given) => given, others);
}

/**
 * The arguments of a component, checked and completed once: by its parent, or here.
 *
 * @param subject the subject of the message, e.g. `GpuNodeGroup "gpu"`
 * @param complete fills in what follows from several arguments
 * @param others problems of other values, such as the component's name
 * @throws InputError with every problem
 */
export function completeArgs<S extends Schema, T>(
  subject: string,
  schema: S,
  args: unknown,
  complete: (value: ValueOf<S>) => T,
  others: readonly Problem[] = [],
): T {
  const isResolved = typeof args === "object" && args !== null && resolvedArgs.has(args);
  const { value, problems } = isResolved ? { value: undefined, problems: [] } : parse(schema, args);
  refuse(subject, [...others, ...problems]);
  return isResolved ? (args as T) : complete(value);
}

/** Every problem in a value. */
export function problemsIn(schema: Schema, given: unknown, at = ""): readonly Problem[] {
  return parse(schema, given, at).problems;
}

/** Whether a value is an object whose keys are known now: an Output is an object too. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !isOutput(value);
}
