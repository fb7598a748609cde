import { parsedOrString } from "../../components/core/json-text";
import { InputError, type Problem } from "../../components/core/problems";
import { isRecord } from "../../components/core/reader/records";
import { countOf } from "../../components/core/text";
import { fullKey, readStackFile, type Project, type StackFile } from "./project";

/** A stack's configuration as the program receives it. */
export interface StackConfig {
  /** Full keys to strings; structured values as JSON. */
  readonly values: Readonly<Record<string, string>>;
  /** Sentences on values that cannot be read offline, for the reader of the plan. */
  readonly notes: readonly string[];
  /** Full keys that an override sets. */
  readonly overridden: ReadonlySet<string>;
}

/**
 * The configuration of a stack as the Pulumi CLI composes it: the stack's file, then the overrides, which work like
 * `pulumi config set --path`, then the defaults of Pulumi.yaml for missing values. Like the CLI, it requires a value for
 * each key of the project that Pulumi.yaml declares, unless an ESC environment may have it.
 *
 * @param overrides `key=value` strings, such as `gpuNodes.maxSize=1` or `aws:region=us-east-1`
 * @throws InputError
 */
export function stackConfig(project: Project, stack: string, overrides: readonly string[]): StackConfig {
  const file = stackFile(project, stack, overrides);
  const values = new Map(file.values);
  const problems = [
    ...repeatedKeys(project.name, overrides),
    ...overrides.flatMap((override) => applyOverride(project.name, values, override)),
  ];
  if (problems.length > 0) throw new InputError("the command line", problems);
  for (const [key, value] of project.defaults) {
    if (!values.has(key) && value !== undefined && value !== null) values.set(key, value);
  }
  const missing = file.environments.length > 0 ? [] : missingKeys(project, values);
  if (missing.length > 0) throw new InputError(file.file, missing);
  return {
    values: Object.fromEntries([...values].map(([key, value]) => [key, serialized(value)])),
    overridden: new Set(overrides.map((override) => fullKey(project.name, String(pathOf(override)?.[0])))),
    notes: [
      ...(file.note === undefined ? [] : [file.note]),
      ...file.secretKeys.map((key) => `${key} is encrypted. The plan uses a placeholder.`),
      ...file.environments.map(
        (name) => `The ESC environment ${name} is not opened. Its values are missing from the plan.`,
      ),
    ],
  };
}

/** Overrides, each key once, with the last value: a step of a rehearsal changes what the rehearsal starts with. */
export function lastOfEach(overrides: readonly string[]): string[] {
  return [...new Map(overrides.map((override) => [override.split("=")[0], override])).values()];
}

function missingKeys({ name, defaults }: Project, values: ReadonlyMap<string, unknown>): Problem[] {
  const own = [...defaults.keys()].filter((key) => key.startsWith(`${name}:`) && !values.has(key));
  const why = "Pulumi.yaml declares this key without a default value.";
  return own.map((path) => {
    const fix = `pulumi config set ${path.slice(name.length + 1)} VALUE`;
    return { code: "missing", path, got: undefined, why, fix };
  });
}

/** Pulumi passes a key without a value as an empty string. */
function serialized(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** @throws InputError with the problems of the file, and of the overrides that are wrong in every stack */
function stackFile(project: Project, stack: string, overrides: readonly string[]): StackFile {
  try {
    return readStackFile(project, stack);
  } catch (error) {
    if (!InputError.is(error)) throw error;
    throw new InputError(error.subject, [...error.problems, ...overrideProblems(overrides)]);
  }
}

/** The problems of overrides that are wrong whatever the stack has. */
export function overrideProblems(overrides: readonly string[]): Problem[] {
  const why = "Must be KEY=VALUE.";
  const fix = "use, for example, --config gpuNodes.maxSize=1";
  return overrides
    .filter((override) => !pathOf(override))
    .map((got) => ({ code: "not-allowed", path: "--config", got, why, fix }));
}

/** The overrides that replace what an earlier one sets: the same key, or one that contains it. */
function repeatedKeys(project: string, overrides: readonly string[]): Problem[] {
  const paths = overrides.map((override) => {
    const [first = "", ...rest] = pathOf(override) ?? [];
    return [fullKey(project, String(first)), ...rest];
  });
  const isRepeated = (path: readonly unknown[], at: number) =>
    paths.slice(0, at).some((earlier) => path.every((step, index) => step === earlier[index]));
  const why = "Another --config sets this key.";
  return overrides
    .filter((override, at) => pathOf(override) && isRepeated(paths[at] ?? [], at))
    .map((got) => ({ code: "conflict", path: "--config", got, why, fix: "state the key once" }));
}

/** The path of an override, whose first step is a key; undefined if it does not have the form KEY=VALUE. */
function pathOf(override: string): readonly [string, ...(string | number)[]] | undefined {
  const [first, ...rest] = parsePath(override.slice(0, Math.max(0, override.indexOf("=")))) ?? [];
  return typeof first === "string" ? [first, ...rest] : undefined;
}

function applyOverride(project: string, values: Map<string, unknown>, override: string): Problem[] {
  const path = pathOf(override);
  if (!path) return overrideProblems([override]);
  const [first, ...rest] = path;
  const equals = override.indexOf("=");
  const key = fullKey(project, first);
  const problems = indexProblems(`--config ${override.slice(0, equals)}`, values.get(key), rest);
  if (problems.length > 0) return problems;
  const text = override.slice(equals + 1);
  values.set(key, rest.length === 0 ? parsedOrString(text) : withPath(values.get(key), rest, typed(text)));
  return [];
}

/** Like Pulumi, an override changes an item of a list or adds the next one. */
function indexProblems(path: string, value: unknown, [step, ...rest]: readonly (string | number)[]): Problem[] {
  if (step === undefined) return [];
  const children = Array.isArray(value) ? (value as unknown[]) : [];
  if (typeof step === "string") return indexProblems(path, isRecord(value) ? value[step] : undefined, rest);
  if (step <= children.length) return indexProblems(path, children[step], rest);
  const why = `Must be an index from 0 to ${children.length}: the list has ${countOf(children.length, "item")}.`;
  return [{ code: "out-of-range", path, got: step, why, fix: `use [${children.length}] to add an item` }];
}

/** The steps of `a.b[0]["c.d"]`; undefined when it is not a path. The first step may contain a namespace. */
function parsePath(path: string): (string | number)[] | undefined {
  const step = /^(?:\.?([^.[\]"]+)|\.?\["((?:[^"\\]|\\.)*)"\]|\.?\[(\d+)\])/;
  const steps: (string | number)[] = [];
  for (let rest = path; rest !== "";) {
    const match = step.exec(rest);
    if (!match) return undefined;
    const [whole, name, quoted, index] = match;
    steps.push(index !== undefined ? Number(index) : (name ?? (quoted ?? "").replace(/\\(.)/g, "$1")));
    rest = rest.slice(whole.length);
  }
  return steps;
}

/** As with `--path`: true, false and integers are typed, everything else is a string. */
function typed(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return /^(0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

function withPath(current: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list: unknown[] = Array.isArray(current) ? [...(current as unknown[])] : [];
    list[step] = withPath(list[step], rest, value);
    return list;
  }
  const object = isRecord(current) ? current : {};
  return { ...object, [step]: withPath(object[step], rest, value) };
}
