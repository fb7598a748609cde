import { join, type Problem } from "../../components";
import { isRecord } from "../../components/core/reader/records";

/** Texts that hold JSON, by the path of each. */
type JsonTexts = ReadonlyMap<string, object>;

/** What JSON says; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A text as its writer meant it: the list or object that it holds as JSON, else the text itself. */
export function asMeant(text: string): unknown {
  const value = parseJson(text);
  return typeof value === "object" && value !== null ? value : text;
}

/**
 * Checks values within which a list or an object may stand as JSON in one text: `pulumi config set --path` stores that.
 * Where the checks want no text and would take what it holds, that is the problem; everything else is checked as if it
 * stood there.
 *
 * @param check every problem of the values, by their paths
 * @see https://github.com/pulumi/pulumi/pull/18285
 */
export function problemsBehindTexts<Values extends object>(
  values: Values,
  check: (values: Values) => readonly Problem[],
): readonly Problem[] {
  const problems = check(values);
  const refused = wrongTypes(problems);
  const texts: JsonTexts = new Map(Object.entries(values).flatMap(([key, value]) => textsIn(value, key, refused)));
  if (texts.size === 0) return problems;
  const within = check(opened(values, "", texts) as Values);
  const unfit = wrongTypes(within);
  return [...[...texts].filter(([path]) => !unfit.has(path)).map(textProblem), ...within];
}

function wrongTypes(problems: readonly Problem[]): ReadonlySet<string> {
  return new Set(problems.filter(({ code }) => code === "wrong-type").map(({ path }) => path));
}

function textsIn(value: unknown, at: string, refused: ReadonlySet<string>): [path: string, held: object][] {
  return innerOf(value, at).flatMap(([path, inner]) => {
    const held = typeof inner === "string" && refused.has(path) ? asMeant(inner) : undefined;
    return typeof held === "object" && held !== null ? [[path, held]] : textsIn(inner, path, refused);
  });
}

function innerOf(value: unknown, at: string): [path: string, inner: unknown][] {
  if (Array.isArray(value)) return value.map((item, index) => [`${at}[${index}]`, item]);
  return isRecord(value) ? Object.entries(value).map(([key, inner]) => [join(at, key), inner]) : [];
}

/** The values with what some texts hold in their place. */
function opened(value: unknown, at: string, texts: JsonTexts): unknown {
  const held = texts.get(at);
  if (held) return held;
  if (Array.isArray(value)) return value.map((item, index) => opened(item, `${at}[${index}]`, texts));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, opened(inner, join(at, key), texts)]));
}

function textProblem([path, held]: [path: string, held: object]): Problem {
  const [key = "KEY"] = Object.keys(held);
  const [kind, first] = Array.isArray(held) ? ["a list", "[0]"] : ["an object", step(key)];
  const why = `It is a text that holds ${kind}: --path takes single values, and no JSON.`;
  const fix = `pulumi config rm --path '${path}' && pulumi config set --path '${path}${first}' VALUE, and so on for the rest`;
  return { code: "wrong-type", path, got: held, why, fix };
}

/** A key as a step of a path. */
function step(key: string): string {
  return /^[\w-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
