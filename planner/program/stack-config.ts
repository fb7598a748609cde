import { InputError, type Problem } from "../../components/core/problems";
import { fullKey, readStackFile, type Project } from "./project";

/** A stack's configuration as the program gets to see it. */
export interface StackConfig {
  /** Full keys to texts; structured values as JSON. */
  readonly values: Readonly<Record<string, string>>;
  /** What an offline reading could not know, as sentences for the reader of the plan. */
  readonly notes: readonly string[];
}

/**
 * Puts a stack's configuration together as the Pulumi CLI does: the stack's file, then the defaults of Pulumi.yaml
 * for what is missing, then the overrides, which read like `pulumi config set --path`.
 *
 * @param overrides `key=value` texts, e.g. `gpuNodes.maxSize=1` or `aws:region=us-east-1`
 * @throws InputError
 */
export function stackConfig(project: Project, stack: string, overrides: readonly string[]): StackConfig {
  const file = readStackFile(project, stack);
  const values = new Map(file.values);
  for (const [key, value] of project.defaults) {
    if (!values.has(key) && value !== undefined && value !== null) values.set(key, value);
  }
  const problems = overrides.flatMap((override) => applyOverride(project.name, values, override));
  if (problems.length > 0) throw new InputError("the command line", problems);
  return {
    values: Object.fromEntries([...values].map(([key, value]) => [key, asText(value)])),
    notes: [
      ...file.secretKeys.map((key) => `${key} is encrypted: the plan uses a placeholder for it`),
      ...file.environments.map((name) => `ESC environment ${name} is not opened: its values are missing here`),
    ],
  };
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function applyOverride(project: string, values: Map<string, unknown>, override: string): Problem[] {
  const equals = override.indexOf("=");
  const path = equals > 0 ? parsePath(override.slice(0, equals)) : undefined;
  const [first, ...rest] = path ?? [];
  if (typeof first !== "string") {
    return [
      {
        code: "not-allowed",
        path: "--config",
        got: override,
        why: "It must read key=value.",
        fix: "write for example --config gpuNodes.maxSize=1",
      },
    ];
  }
  const text = override.slice(equals + 1);
  const key = fullKey(project, first);
  values.set(key, rest.length === 0 ? wholeValue(text) : withPath(values.get(key), rest, typed(text)));
  return [];
}

/** `a.b[0]["c.d"]` as its steps; undefined when it is not a path. The first step may hold a namespace. */
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

/** As with `--path`, true, false and whole numbers are typed; everything else is a text. */
function typed(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return /^(0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

/** A whole key takes JSON objects and lists as such, and any other text as it stands. */
function wholeValue(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function withPath(current: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list: unknown[] = Array.isArray(current) ? [...(current as unknown[])] : [];
    list[step] = withPath(list[step], rest, value);
    return list;
  }
  const object = typeof current === "object" && current !== null && !Array.isArray(current) ? current : {};
  return { ...object, [step]: withPath((object as Record<string, unknown>)[step], rest, value) };
}
