import type { GpuEnvironmentArgs, Problem } from "../../components";
import { completeEnvironment, type EnvironmentSettings } from "../../components/environment/gpu-environment-plan";
import { environment as environmentSchema } from "../../components/environment/gpu-environment-schema";
import type { EnvironmentValues } from "../../components/environment/gpu-environment-sections";
import { keysOf, parse, unknownKeys } from "../../components/core/schema";
import * as v from "valibot";
import {
  configSection,
  configType,
  emptyValue,
  labSection,
  localClusterSection,
  placeholderCidr,
  sharedSection,
  type ConfigKey,
  type LabSettings,
} from "./config-keys";
import { parsedOrString, parseJson } from "../../components/core/json-text";
import { foreignKeyProblems } from "./foreign-keys";
import { labOf, labProblems } from "./lab-rules";
import { labArgs, withLease, withPinnedAddons } from "./lab-values";
import type { LabName } from "../labs";
import { step } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";

/** The namespace of every key: the project's name. */
const namespace = "eks-gpu-lab";

/** A stack's configuration, read and checked. */
export interface LabConfig extends Readonly<Omit<LabSettings, "fault" | "environment" | "localCluster">> {
  /** Which lab this stack runs. */
  readonly lab: LabName;
  /** The configured arguments, with what the lab and its fault set. */
  readonly environment: GpuEnvironmentArgs;
  /** Where the lab runs. */
  readonly cluster: OwnCluster | ClusterReference | LocalClusterChoice;
  /** Whether the lab's fault is on. */
  readonly isFaulty: boolean;
}

/** The stack creates a cluster: its complete arguments. */
interface OwnCluster {
  readonly settings: EnvironmentSettings;
}

/** The lab uses the cluster of another stack. */
export interface ClusterReference {
  readonly reference: string;
  /** The arguments of the operator, which the lab may have to install. */
  readonly operator: EnvironmentValues["gpuOperator"];
}

/** The lab uses a local cluster. */
export interface LocalClusterChoice extends NonNullable<LabSettings["localCluster"]> {
  /** The complete arguments of an environment on AWS: fake nodes are like those that it would have. */
  readonly settings: EnvironmentSettings;
}

/** A configuration, or every problem of it. */
type LabConfigReading =
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
  const { settings, args, problems: unknown } = readValues(all);
  const { lab = stack, fault, environment, localCluster, ...keys } = settings;
  const isFaulty = fault === "on";
  const chosen = labOf(lab);
  const wanted = chosen
    ? withLease(labArgs(args, lab as LabName, { isFaulty, faultVariant: keys.faultVariant }), lab)
    : args;
  const built = withPinnedAddons(wanted) as GpuEnvironmentArgs;
  const { cluster, problems: invalid } = clusterOf({ environment, localCluster }, built);
  const problems = [
    ...unknown,
    ...labProblems(settings, args, { stack, now }),
    ...invalid.map(explainNull).map(explainJsonString),
  ];
  if (problems.length > 0 || !cluster) return { problems };
  return { config: { lab: lab as LabName, environment: built, cluster, isFaulty, ...keys }, problems: [] };
}

interface ClusterReading<Cluster> {
  readonly cluster?: Cluster;
  readonly problems: readonly Problem[];
}

function clusterOf(
  { environment, localCluster }: Pick<Partial<LabSettings>, "environment" | "localCluster">,
  args: GpuEnvironmentArgs,
): ClusterReading<LabConfig["cluster"]> {
  if (environment !== undefined) return sharedCluster(environment, args);
  if (localCluster === undefined) return ownCluster(args);
  // The schema of the lab's settings reports what is wrong with this section.
  const { value: choice } = parse(localClusterSection, localCluster);
  // A local cluster has no endpoint on the internet, but an environment must state who can reach it.
  const { cluster, problems } = ownCluster({ ...args, publicAccessCidrs: [placeholderCidr] });
  return cluster && choice ? { cluster: { ...choice, ...cluster }, problems } : { problems };
}

function ownCluster(args: GpuEnvironmentArgs): ClusterReading<OwnCluster> {
  const { value, problems } = parse(environmentSchema, args);
  return value ? { cluster: { settings: completeEnvironment(value) }, problems } : { problems };
}

/** Whether the operator fits the cluster of another stack is checked when that stack's outputs are known. */
function sharedCluster(reference: string, args: Partial<GpuEnvironmentArgs>): ClusterReading<ClusterReference> {
  const own = Object.entries(args).filter(([key]) => Object.hasOwn(sharedSection.entries, key));
  const { value, problems } = parse(sharedSection, Object.fromEntries(own));
  return value ? { cluster: { reference, operator: value.gpuOperator }, problems } : { problems };
}

/**
 * The values of the project's keys: those that choose the lab, and arguments of the environment; and the problems of unknown
 * keys. Values have the types of their keys as far as their strings allow it; the schema checks the rest.
 */
function readValues(all: Readonly<Record<string, string>>) {
  const problems: Problem[] = foreignKeyProblems(all, namespace, keysOf(configSection));
  const settings: Record<string, unknown> = {};
  const args: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(all)) {
    if (!name.startsWith(`${namespace}:`)) continue;
    const key = name.slice(namespace.length + 1);
    if (!isConfigKey(key)) problems.push(...unknownKey(key, text));
    else if (Object.hasOwn(labSection.entries, key)) settings[key] = statedValue(key, text);
    else if (!isDefault(key, statedValue(key, text))) args[key] = statedValue(key, text);
  }
  return { settings: settings as Partial<LabSettings>, args: args as Partial<GpuEnvironmentArgs>, problems };
}

function isConfigKey(key: string): key is ConfigKey {
  return Object.hasOwn(configSection.entries, key);
}

/** The engine passes a key's declared default as if it were configured. */
function isDefault(key: ConfigKey, value: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(v.getDefault(configSection.entries[key]));
}

/** The typed value of a key; undefined if it stands for none. */
function statedValue(key: ConfigKey, text: string): unknown {
  const value = valueOf(key, text);
  return JSON.stringify(value) === JSON.stringify(emptyValue(key)) ? undefined : value;
}

/** The typed value of a key. A string of another form is returned unchanged. */
function valueOf(key: ConfigKey, text: string): unknown {
  switch (configType(key)) {
    case "string":
      return text;
    case "integer":
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case "boolean":
      return text === "true" || text === "false" ? text === "true" : text;
    case "array":
    case "object":
      return parsedOrString(text);
  }
}

/** YAML reads a key without a value as null. */
function explainNull(problem: Problem): Problem {
  const { path, got } = problem;
  if (got !== null) return problem;
  return { ...problem, code: "missing", why: "The key has no value.", fix: `set ${path} to a value, or remove it` };
}

function unknownKey(key: string, text: string): Problem[] {
  const known: readonly string[] = keysOf(configSection);
  const [section] = key.split(".");
  if (section !== undefined && section !== key && known.includes(section)) {
    const why = `${section} is an object; to set a key in it, pulumi config set needs --path.`;
    // A command that can be pasted as it is.
    const value = /^[\w.:/-]+$/.test(text) ? text : "VALUE";
    const fix = `pulumi config rm ${key} && pulumi config set --path ${key} ${value}`;
    return [{ code: "unknown-key", path: `${namespace}:${key}`, got: parsedOrString(text), why, fix }];
  }
  return unknownKeys("", { [key]: parsedOrString(text) }, known).map((problem) => ({
    ...problem,
    path: `${namespace}:${key}`,
  }));
}

/**
 * Explains a string that contains JSON instead of a list or an object: `pulumi config set --path` stores that.
 *
 * @see https://github.com/pulumi/pulumi/pull/18285
 */
function explainJsonString(problem: Problem): Problem {
  const { code, path, got } = problem;
  const held = code === "wrong-type" && typeof got === "string" ? parseJson(got) : undefined;
  if (!isRecord(held) && !Array.isArray(held)) return problem;
  const [key = "KEY"] = Object.keys(held);
  const [kind, first] = Array.isArray(held) ? ["a list", step(path, 0)] : ["an object", step(path, key)];
  const why = `Must be ${kind}, not JSON in a string. pulumi config set --path stores each value as a string, number or boolean.`;
  const fix = `pulumi config rm --path '${path}' && pulumi config set --path '${first}' VALUE, and so on for the rest`;
  return { code, path, got: held, why, fix };
}
