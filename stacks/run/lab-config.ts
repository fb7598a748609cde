import type { GpuEnvironmentArgs, Problem } from "../../components";
import { completeEnvironment, type EnvironmentSettings } from "../../components/environment/gpu-environment-plan";
import { environment as environmentSchema } from "../../components/environment/gpu-environment-schema";
import { isRecord } from "../../components/core/reader/records";
import { join, keysOf, parse, unknownKeys } from "../../components/core/schema";
import * as v from "valibot";
import { configSection, configType, type ConfigKey } from "./config-keys";
import { parsedOrString, parseJson } from "../../components/core/json-text";
import { explainJsonString } from "./json-strings";
import { labOf, labProblems } from "./lab-rules";
import { labArgs, withPinnedAddons } from "./lab-values";
import type { LabName } from "../labs";

/** The namespace of every key: the project's name. */
const namespace = "eks-gpu-lab";

/** A stack's configuration, read and checked. */
export interface LabConfig {
  /** Which lab this stack runs. */
  readonly lab: LabName;
  /** What to build, with what the lab and its fault set; the defaults are the components' own. */
  readonly environment: GpuEnvironmentArgs;
  /** Where the lab runs. */
  readonly cluster: OwnCluster | ClusterReference;
  /** Whether the lab's fault is on. */
  readonly isFaulty: boolean;
  /** The day until which the fault is meant. */
  readonly expires: string | undefined;
  readonly node: string | undefined;
  readonly remedy: string | undefined;
  readonly gpuProduct: string | undefined;
}

/** The stack creates a cluster: its complete arguments. */
interface OwnCluster {
  readonly settings: EnvironmentSettings;
}

/** The lab uses the cluster of another stack. */
interface ClusterReference {
  readonly reference: string;
}

/** A configuration, or every problem of it. */
export type LabConfigReading =
  | { readonly config: LabConfig; readonly problems: readonly [] }
  | { readonly config?: never; readonly problems: readonly Problem[] };

/**
 * Reads a stack's whole configuration. The only reader of configuration in the project.
 *
 * @param all every configuration value of the program, as `pulumi.runtime.allConfig()` returns them
 * @param stack the stack's name, which determines the lab unless `lab` is set, and whether a fault may be injected
 * @param now decides whether a fault is past its end
 */
export function readLabConfig(
  all: Readonly<Record<string, string>>,
  stack: string,
  now = new Date(),
): LabConfigReading {
  const { values, problems: unread } = readValues(all);
  const { lab = stack, fault, expires, environment, node, remedy, gpuProduct, ...rest } = values;
  const args = rest as unknown as GpuEnvironmentArgs;
  const isFaulty = fault === "on";
  const chosen = labOf(lab);
  const built = withPinnedAddons(chosen ? labArgs(args, chosen, isFaulty) : args);
  const given = { stack, lab, fault, expires, environment, node, remedy, gpuProduct };
  const found = [...unread, ...labProblems(given, stated(args), now)];

  const parsed = parse(environmentSchema, built);
  const isOwn = environment === undefined;
  const reported = new Set(unread.map(({ path }) => path));
  const invalid = parsed.problems.filter(
    (problem) => !reported.has(problem.path) && (isOwn || isAboutOperator(problem)),
  );
  const problems = [...found, ...invalid.map(explainJsonString)];
  if (problems.length > 0) return { problems };
  const cluster =
    parsed.value && isOwn ? { settings: completeEnvironment(parsed.value) } : { reference: String(environment) };
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  const keys = { expires: text(expires), node: text(node), remedy: text(remedy), gpuProduct: text(gpuProduct) };
  return { config: { lab: lab as LabName, environment: built, cluster, isFaulty, ...keys }, problems: [] };
}

/**
 * In another stack's cluster a lab creates nothing but the operator. Whether the operator fits the cluster is checked
 * when that stack's outputs are known.
 */
function isAboutOperator({ path, code }: Problem): boolean {
  return /^gpuOperator\b/.test(path) && code !== "version";
}

/** The values of the project's keys, as far as their texts hold what the keys take; the schema judges the rest. */
function readValues(all: Readonly<Record<string, string>>) {
  const problems: Problem[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(all)) {
    if (!name.startsWith(`${namespace}:`)) continue;
    const key = name.slice(namespace.length + 1);
    if (!isConfigKey(key)) problems.push(...unknownKey(key, text));
    else {
      const value = valueOf(key, text);
      problems.push(...emptyKeys(key, value));
      if (value !== undefined) values[key] = withoutEmpty(value);
    }
  }
  return { values, problems };
}

function isConfigKey(key: string): key is ConfigKey {
  return Object.hasOwn(configSection.entries, key);
}

/** The engine passes a key's declared default as if it were configured. */
function stated(args: GpuEnvironmentArgs): Partial<GpuEnvironmentArgs> {
  const isDefault = (key: ConfigKey, value: unknown) =>
    JSON.stringify(value) === JSON.stringify(v.getDefault(configSection.entries[key]));
  return Object.fromEntries(Object.entries(args).filter(([key, value]) => !isDefault(key as ConfigKey, value)));
}

/** The typed value of a key; undefined if the key has no value. A string of another form is returned unchanged. */
function valueOf(key: ConfigKey, text: string): unknown {
  switch (configType(key)) {
    case "string":
      return text === "" && v.getDefault(configSection.entries[key]) === "" ? undefined : text;
    case "integer":
      return text.trim() !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
    case "boolean":
      return text === "true" || text === "false" ? text === "true" : text;
    case "array":
      return ofKind(text, Array.isArray);
    case "object":
      return ofKind(text, isRecord);
  }
}

function ofKind(text: string, fits: (value: unknown) => boolean): unknown {
  const value = parseJson(text);
  return fits(value) ? value : parsedOrString(text);
}

/** Keys without a value: YAML reads `key:` as null. */
function emptyKeys(key: string, value: unknown): Problem[] {
  return emptyPaths(value, key).map((path) => {
    const fix = `set ${path} to a value, or remove it`;
    return { code: "missing", path, got: null, why: "The key has no value.", fix };
  });
}

/** Keys without a value are reported, and count as left out after that. Items of lists keep their places. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isRecord(value)) return value;
  const stated = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(stated.map(([key, inner]) => [key, withoutEmpty(inner)]));
}

/** The paths without a value in a structured value: YAML reads `key:` as null. */
function emptyPaths(value: unknown, at: string): string[] {
  if (value === null) return [at];
  if (Array.isArray(value)) return value.flatMap((item, index) => emptyPaths(item, `${at}[${index}]`));
  return isRecord(value) ? Object.entries(value).flatMap(([key, inner]) => emptyPaths(inner, join(at, key))) : [];
}

function unknownKey(key: string, text: string): Problem[] {
  const known: readonly string[] = keysOf(configSection);
  const [section] = key.split(".");
  if (section !== undefined && section !== key && known.includes(section)) {
    const why = `${section} is an object; to set a key in it, pulumi config set needs --path.`;
    const fix = `pulumi config rm ${key} && pulumi config set --path ${key} ${text}`;
    return [{ code: "unknown-key", path: `${namespace}:${key}`, got: parsedOrString(text), why, fix }];
  }
  return unknownKeys("", { [key]: parsedOrString(text) }, known).map((problem) => ({
    ...problem,
    path: `${namespace}:${key}`,
  }));
}
