import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { InputError, type Problem } from "../../components/core/problems";
import { Reader } from "../../components/core/reader/reader";
import { step } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import { nearest } from "../../components/core/suggest";
import { readYaml } from "./yaml-file";

/** The parts of a Pulumi project on disk that a plan needs. */
export interface Project {
  readonly name: string;
  /** The folder of Pulumi.yaml. */
  readonly dir: string;
  /** The module that `pulumi up` runs. */
  readonly entry: string;
  /** The folder in which Pulumi runs the program: relative paths start there. */
  readonly workingDir: string;
  /** The folder of the Pulumi.<stack>.yaml files. */
  readonly stackDir: string;
  /** The `config` block of Pulumi.yaml: full key to default value, `undefined` where the stack must set a value. */
  readonly defaults: ReadonlyMap<string, unknown>;
  /** The stacks that Pulumi.yaml lists under `stacks`, which need no file. Pulumi ignores this key. */
  readonly declaredStacks: readonly string[];
}

/**
 * Finds the Pulumi project of a folder: the nearest Pulumi.yaml, in the folder or above it.
 *
 * @throws InputError when there is none, when it is not a Node.js project, or when its program is missing.
 */
export function findProject(from: string): Project {
  const file = findUp(resolve(from), "Pulumi.yaml");
  if (!file) {
    const why = `Neither ${resolve(from)} nor a folder above it contains a Pulumi project.`;
    const fix = "run the command inside a Pulumi project, or create one with `pulumi new typescript`";
    throw wrongInput("the current folder", { path: "Pulumi.yaml", got: undefined, why, fix });
  }
  const dir = dirname(file);
  const yaml = readYaml(file);
  const content = new Reader(yaml);
  const runtime = runtimeIn(content);
  if (runtime !== "nodejs") {
    const why = "The offline plan runs only Node.js programs.";
    const fix = "run `pulumi preview` for a program in another language";
    throw wrongInput("Pulumi.yaml", { path: "runtime", got: runtime, why, fix });
  }
  const name = content.text("name").value ?? basename(dir);
  const main = resolve(dir, content.text("main").value ?? ".");
  return {
    name,
    dir,
    entry: programIn(main),
    workingDir: existsSync(main) && statSync(main).isFile() ? dirname(main) : main,
    stackDir: resolve(dir, content.text("stackConfigDir").value ?? "."),
    defaults: declaredDefaults(name, yaml),
    declaredStacks: content.strings("stacks"),
  };
}

/** The name of the language host in the settings of a project or of a policy pack. */
export function runtimeIn(settings: Reader): string | undefined {
  return settings.text("runtime").value ?? settings.text("runtime.name").value;
}

/** The stacks that have a configuration file or that Pulumi.yaml lists, in alphabetical order. */
export function stacksOf({ stackDir, declaredStacks }: Project): string[] {
  const files = existsSync(stackDir) ? readdirSync(stackDir) : [];
  const configured = files
    .map((file) => /^Pulumi\.(.+)\.ya?ml$/.exec(file)?.[1])
    .filter((stack) => stack !== undefined);
  return [...new Set([...declaredStacks, ...configured])].sort();
}

/** The content of a stack's file, before overrides. */
export interface StackFile {
  /** Full key to value, as in the YAML. */
  readonly values: ReadonlyMap<string, unknown>;
  /** The name of the file. */
  readonly file: string;
  /** Why it has no value, as a sentence. @default it has values, or needs none */
  readonly note?: string;
  /** Paths of encrypted values, which cannot be read offline. */
  readonly secretKeys: readonly string[];
  /** ESC environments that the stack imports; a plan does not open them. */
  readonly environments: readonly string[];
}

/**
 * Reads Pulumi.<stack>.yaml. A stack that Pulumi.yaml lists may have none.
 *
 * @throws InputError with the names of the known stacks when the file is missing, and when Pulumi would ignore a part of it.
 */
export function readStackFile(project: Project, stack: string): StackFile {
  const path = existingStackFile(project, stack);
  if (!path) return stackWithoutFile(project, stack);
  const content = readYaml(path);
  const problems = stackFileProblems(content);
  if (problems.length > 0) throw new InputError(basename(path), problems);
  const values = new Map<string, unknown>();
  const secretKeys: string[] = [];
  for (const [key, value] of configOf(content)) {
    const full = fullKey(project.name, key);
    values.set(full, withoutSecrets(value, full, secretKeys));
  }
  const hasConfig = isRecord(content) && Object.hasOwn(content, "config");
  const note = `${basename(path)} has no block config, so the stack sets no value.`;
  const environments = environmentNames(content);
  return { file: basename(path), ...(!hasConfig && { note }), values, secretKeys, environments };
}

/** The file that declares a stack: its own, or Pulumi.yaml. */
export function stackFileOf(project: Project, stack: string): string {
  return existingStackFile(project, stack) ?? join(project.dir, "Pulumi.yaml");
}

function existingStackFile({ stackDir }: Project, stack: string): string | undefined {
  return [".yaml", ".yml"].map((ending) => join(stackDir, `Pulumi.${stack}${ending}`)).find(existsSync);
}

/** The name of a stack that needs no file, because the project has none. */
export const stackOfNoFile = "dev";

function stackWithoutFile(project: Project, stack: string): StackFile {
  const file = `Pulumi.${stack}.yaml`;
  const empty = { file, values: new Map(), secretKeys: [], environments: [] };
  if (project.declaredStacks.includes(stack)) return empty;
  const problem = unknownStack(project, stack);
  if (problem) throw new InputError("the command line", [problem]);
  const note = `The project has no stack file. The plan of ${stack} uses the values of --config and Pulumi.yaml.`;
  return { ...empty, note };
}

/** The problem of a stack that is not one of the project's; in a project without stacks, their names are not known. */
export function unknownStack(project: Project, stack: string): Problem | undefined {
  const known = stacksOf(project);
  const isName = /^[\w.-]{1,100}$/.test(stack);
  if (isName && (known.length === 0 || known.includes(stack))) return undefined;
  const why = isName ? `${project.stackDir} does not contain Pulumi.${stack}.yaml.` : "Must be the name of a stack.";
  const fix = `use ${known.length > 0 ? `one of ${known.join(", ")}` : "letters, digits, dots, dashes or underscores"}`;
  return { code: "not-allowed", path: "--stack", got: stack, why, fix };
}

/** The keys that Pulumi reads at the top level of a stack file. It ignores any other, such as `x-base` with an anchor. */
const stackFileKeys = ["config", "environment", "secretsprovider", "encryptedkey", "encryptionsalt"];

function stackFileProblems(content: unknown): Problem[] {
  if (content === undefined || content === null) return [];
  if (!isRecord(content)) {
    const why = "Must be a mapping with the block config.";
    return [{ code: "wrong-type", path: "the file", got: content, why, fix: "write config: in the first line" }];
  }
  const { config } = content;
  const isMapping = config === undefined || config === null || isRecord(config);
  const why = "Must be a mapping of keys to values.";
  const fix = "write one key: value in each line below config:";
  const wrong: Problem = { code: "wrong-type", path: "config", got: config, why, fix };
  const unknown = Object.keys(content).filter((key) => !stackFileKeys.includes(key) && !key.startsWith("x-"));
  return [...unknown.map(unknownBlock), ...(isMapping ? [] : [wrong])];
}

function unknownBlock(key: string): Problem {
  const meant = nearest(key, stackFileKeys);
  const fix = meant === undefined ? `move ${key} below config:` : `rename ${key} to ${meant}`;
  const why = `Pulumi ignores this key. A stack file has ${stackFileKeys.join(", ")}.`;
  return { code: "unknown-key", path: key, got: "a block at the top level", why, fix };
}

/**
 * A value with a placeholder for each secret in it: a mapping with `secure` as its only key and a string.
 * @see https://github.com/pulumi/pulumi/blob/v3.248.0/sdk/go/common/resource/config/object.go isSecureValue
 */
function withoutSecrets(value: unknown, path: string, secretPaths: string[]): unknown {
  if (Array.isArray(value)) return value.map((item, index) => withoutSecrets(item, step(path, index), secretPaths));
  if (!isRecord(value)) return value;
  if (typeof value["secure"] === "string" && Object.keys(value).length === 1) {
    secretPaths.push(path);
    return "[secret]";
  }
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutSecrets(item, step(path, key), secretPaths)]));
}

/** A key without a namespace belongs to the project. */
export function fullKey(project: string, key: string): string {
  return key.includes(":") ? key : `${project}:${key}`;
}

function environmentNames(yaml: unknown): readonly string[] {
  const content = new Reader(yaml);
  return [...content.strings("environment"), ...content.strings("environment.imports")];
}

function declaredDefaults(project: string, content: unknown): Map<string, unknown> {
  return new Map(
    configOf(content).map(([key, declared]) => [
      fullKey(project, key),
      isRecord(declared) ? (declared["value"] ?? declared["default"]) : declared,
    ]),
  );
}

/** The `config` block of Pulumi.yaml or of a stack's file. */
function configOf(content: unknown): [key: string, value: unknown][] {
  const config = isRecord(content) ? content["config"] : undefined;
  return isRecord(config) ? Object.entries(config) : [];
}

/**
 * The module of a folder is the `main` of its package.json, or its index file, as for Pulumi; undefined if there is none.
 *
 * @param path a folder, or the module itself
 */
export function entryOf(path: string): string | undefined {
  const candidates = [path];
  if (existsSync(path) && statSync(path).isDirectory()) {
    const packageMain = packageOf(path).text("main").value;
    if (packageMain) candidates.unshift(join(path, packageMain));
    candidates.push(join(path, "index.ts"), join(path, "index.js"));
  }
  return candidates.find((file) => existsSync(file) && statSync(file).isFile());
}

function programIn(main: string): string {
  const entry = entryOf(main);
  if (entry !== undefined) return entry;
  const built = packageOf(main).text("main").value;
  if (built !== undefined) throw notBuilt("package.json", built, main);
  const root = dirname(findUp(main, "package.json") ?? main);
  if (outputs.test(main) && !existsSync(main)) throw notBuilt("Pulumi.yaml", main, root);
  const why = "The program does not exist.";
  throw wrongInput("Pulumi.yaml", { path: "main", got: main, why, fix: "set main to the program's folder or file" });
}

/** The usual folders and files that a compiler writes. */
const outputs = /\.[cm]?js$|[/\\](bin|build|dist|lib|out)$/;

function notBuilt(subject: string, got: string, dir: string): InputError {
  const command = packageOf(dir).text("scripts.build").value === undefined ? "npx tsc" : "npm run build";
  const why = "It does not exist. Build it first.";
  return wrongInput(subject, { path: "main", got, why, fix: `run ${command} in ${dir}` });
}

/** The package.json of a folder. */
export function packageOf(dir: string): Reader {
  const file = join(dir, "package.json");
  const text = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  return new Reader(text).json().value ?? new Reader(undefined);
}

/** The nearest file of this name, in the folder or above it. */
export function findUp(from: string, file: string): string | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    const candidate = join(dir, file);
    if (existsSync(candidate)) return candidate;
    if (dirname(dir) === dir) return undefined;
  }
}

function wrongInput(subject: string, problem: { path: string; got: unknown; why: string; fix: string }): InputError {
  return new InputError(subject, [{ code: "not-allowed", ...problem }]);
}
