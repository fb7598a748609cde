import type { GpuEnvironmentArgs } from "../../components";
import { gpuEnvironmentProblems, join, type Problem } from "../../components";
import { onlyKeys } from "../../components/core/checks";
import { isRecord } from "../../components/core/reader/records";
import { configKeys, foreignKeys, type ConfigKey } from "./config-keys";
import { asMeant, parseJson, problemsBehindTexts } from "./json-texts";
import { labOf, labProblems } from "./lab-rules";
import { labArgs } from "./lab-values";
import type { LabName } from "../labs";

/** The namespace of every key: the project's name. */
const namespace = "eks-gpu-lab";

/** A stack's configuration, read and checked. */
export interface LabConfig {
  /** Which lab this stack runs. */
  readonly lab: LabName;
  /** What to build, with what the lab and its fault set; the defaults are the components' own. */
  readonly environment: GpuEnvironmentArgs;
  /** Whether the lab's fault is on. */
  readonly isFaulty: boolean;
  /** The day until which the fault is meant. */
  readonly expires: string | undefined;
  /** The stack whose cluster is used instead of one of its own. */
  readonly borrowed: string | undefined;
  readonly node: string | undefined;
  readonly remedy: string | undefined;
  readonly gpuProduct: string | undefined;
}

/** The outcome of reading: a configuration when there are no problems, and every problem when there are. */
export interface LabConfigReading {
  readonly config: LabConfig;
  readonly problems: readonly Problem[];
}

/**
 * Reads a stack's whole configuration. The only reader of configuration in the project.
 *
 * @param all every configuration value of the program, as `pulumi.runtime.allConfig()` gives them
 * @param stack the stack's name, which names the lab unless `lab` does, and says whether a fault may be injected at all
 * @param now decides whether a fault is past its end
 */
export function readLabConfig(
  all: Readonly<Record<string, string>>,
  stack: string,
  now = new Date(),
): LabConfigReading {
  const own = Object.entries(all).flatMap(([key, text]) =>
    key.startsWith(`${namespace}:`) ? [[key.slice(namespace.length + 1), text] as const] : [],
  );
  const problems: Problem[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, text] of own) {
    const declared = Object.hasOwn(configKeys, key)
      ? (configKeys as Readonly<Record<string, ConfigKey>>)[key]
      : undefined;
    if (!declared) {
      problems.push(...unknownKey(key, text));
      continue;
    }
    const value = valueOf(key, text, declared, problems);
    if (value !== undefined) values[key] = value;
  }

  const { lab = stack, fault, expires, environment, node, remedy, gpuProduct, ...rest } = values;
  const args = rest as unknown as GpuEnvironmentArgs;
  const settings = { stack, lab, fault, expires, environment, node, remedy, gpuProduct };
  const isFaulty = fault === "on";
  const chosen = labOf(lab);
  const built = chosen ? labArgs(args, chosen, isFaulty) : args;
  const check = environment === undefined ? gpuEnvironmentProblems : borrowersProblems;
  // A value that could not be read counts as missing further on, and is not to be reported twice.
  const unread = new Set(problems.map(({ path }) => path));
  problems.push(
    ...labProblems(settings, stated(args), now),
    ...problemsBehindTexts(built, check).filter(({ path }) => !unread.has(path)),
  );
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return {
    config: {
      ...{ lab: lab as LabName, environment: built, isFaulty },
      ...{ expires: text(expires), borrowed: text(environment) },
      ...{ node: text(node), remedy: text(remedy), gpuProduct: text(gpuProduct) },
    },
    problems,
  };
}

/**
 * What is wrong whatever cluster is used: in one of another stack a lab makes nothing but the operator. Whether the
 * operator fits the cluster is judged when that stack has told what it is.
 */
function borrowersProblems(args: GpuEnvironmentArgs): Problem[] {
  return gpuEnvironmentProblems(args).filter(({ path, code }) => /^gpuOperator\b/.test(path) && code !== "version");
}

/** The engine hands over a key's declared default as if it stood in the configuration. */
function stated(args: GpuEnvironmentArgs): Partial<GpuEnvironmentArgs> {
  const defaults: Readonly<Record<string, ConfigKey>> = configKeys;
  return Object.fromEntries(
    Object.entries(args).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(defaults[key]?.default)),
  );
}

/** The typed value of a key; undefined when it says nothing or cannot be read. */
function valueOf(key: string, text: string, declared: ConfigKey, problems: Problem[]): unknown {
  switch (declared.type) {
    case "string":
      return text === "" && declared.default === "" ? undefined : text;
    case "integer":
      return text.trim() !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
    case "boolean":
      if (text === "true" || text === "false") return text === "true";
      problems.push(wrongType(key, text, "It must be true or false.", `set ${key} to true or false`));
      return undefined;
    case "array":
    case "object":
      return structured(key, text, declared, problems);
  }
}

function structured(key: string, text: string, declared: ConfigKey, problems: Problem[]): unknown {
  const value = parseJson(text);
  const wanted = declared.type === "array" ? "a list" : "an object";
  const fits = declared.type === "array" ? Array.isArray(value) : isRecord(value);
  if (!fits) {
    const example = declared.type === "array" ? `'${key}[0]' VALUE` : `${key}.KEY VALUE`;
    problems.push(wrongType(key, asMeant(text), `It must be ${wanted}.`, `pulumi config set --path ${example}`));
    return undefined;
  }
  if (isRecord(value) && declared.keys) {
    problems.push(...onlyKeys(key, value, Object.keys(declared.keys), hintsFor(key)));
  }
  const unknown = new Set(problems.map(({ path }) => path));
  for (const path of emptyPaths(value, key).filter((empty) => !unknown.has(empty))) {
    const fix = `remove ${path}, or give it one`;
    problems.push({ code: "missing", path, got: null, why: "The key has no value.", fix });
  }
  return withoutEmpty(value);
}

/** The hints for the keys of one section, by the key alone. */
function hintsFor(section: string): Record<string, string> {
  const prefix = `${section}.`;
  const hints = Object.entries(foreignKeys).filter(([path]) => path.startsWith(prefix));
  return Object.fromEntries(hints.map(([path, hint]) => [path.slice(prefix.length), hint]));
}

/** Keys without a value are reported, and count as left out after that. Items of lists keep their places. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isRecord(value)) return value;
  const stated = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(stated.map(([key, inner]) => [key, withoutEmpty(inner)]));
}

/** Where a structured value says nothing: YAML reads `key:` as null. */
function emptyPaths(value: unknown, at: string): string[] {
  if (value === null) return [at];
  if (Array.isArray(value)) return value.flatMap((item, index) => emptyPaths(item, `${at}[${index}]`));
  return isRecord(value) ? Object.entries(value).flatMap(([key, inner]) => emptyPaths(inner, join(at, key))) : [];
}

function unknownKey(key: string, text: string): Problem[] {
  const known = Object.keys(configKeys);
  const [section] = key.split(".");
  if (section !== undefined && section !== key && known.includes(section)) {
    const why = `The key was set as one word; ${section} is an object.`;
    const fix = `pulumi config rm ${key} && pulumi config set --path ${key} ${text}`;
    return [{ code: "unknown-key", path: `${namespace}:${key}`, got: asMeant(text), why, fix }];
  }
  return onlyKeys("", { [key]: asMeant(text) }, known).map((problem) => ({ ...problem, path: `${namespace}:${key}` }));
}

function wrongType(path: string, got: unknown, why: string, fix: string): Problem {
  return { code: "wrong-type", path, got, why, fix };
}
