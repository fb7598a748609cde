import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { loadAll } from "js-yaml";
import { InputError } from "../../components/core/problems";
import { isRecord } from "../../components/core/reader/records";

/** A Pulumi project on disk, as far as a plan needs it. */
export interface Project {
  readonly name: string;
  /** The folder of Pulumi.yaml. */
  readonly dir: string;
  /** The module that `pulumi up` runs. */
  readonly entry: string;
  /** The folder of the Pulumi.<stack>.yaml files. */
  readonly stackDir: string;
  /** The `config` block of Pulumi.yaml: full key to its default, `undefined` where the stack must set it. */
  readonly defaults: ReadonlyMap<string, unknown>;
}

interface ProjectFile {
  name?: unknown;
  runtime?: string | { name?: string };
  main?: string;
  stackConfigDir?: string;
  config?: Record<string, unknown>;
}

/**
 * Finds the Pulumi project of a folder: the nearest Pulumi.yaml, there or above.
 *
 * @throws InputError when there is none, when it is not a Node.js project, or when its program is missing.
 */
export function findProject(from: string): Project {
  const file = nearest(resolve(from), "Pulumi.yaml");
  if (!file) {
    throw wrongInput("the current folder", {
      path: "Pulumi.yaml",
      got: undefined,
      why: `There is no Pulumi project in ${resolve(from)} or above it.`,
      fix: "run the command inside a Pulumi project, or make one with `pulumi new typescript`",
    });
  }
  const dir = dirname(file);
  const content = readYaml(file) as ProjectFile;
  const runtime = typeof content.runtime === "string" ? content.runtime : content.runtime?.name;
  if (runtime !== "nodejs") {
    throw wrongInput("Pulumi.yaml", {
      path: "runtime",
      got: runtime,
      why: "A plan runs Node.js programs only.",
      fix: "run `pulumi preview` for a program in another language",
    });
  }
  const name = typeof content.name === "string" ? content.name : basename(dir);
  return {
    name,
    dir,
    entry: entryOf(resolve(dir, content.main ?? ".")),
    stackDir: resolve(dir, content.stackConfigDir ?? "."),
    defaults: declaredDefaults(name, content.config ?? {}),
  };
}

/** The stacks that have a configuration file, in alphabetical order. */
export function stacksOf(project: Project): string[] {
  if (!existsSync(project.stackDir)) return [];
  return readdirSync(project.stackDir)
    .map((file) => /^Pulumi\.(.+)\.ya?ml$/.exec(file)?.[1])
    .filter((stack) => stack !== undefined)
    .sort();
}

/** What a stack's file says, before overrides. */
export interface StackFile {
  /** Full key to value as YAML has it. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Encrypted keys: their values cannot be read offline. */
  readonly secretKeys: readonly string[];
  /** ESC environments the stack imports, which a plan does not open. */
  readonly environments: readonly string[];
}

/**
 * Reads Pulumi.<stack>.yaml.
 *
 * @throws InputError naming the stacks there are when the file is missing.
 */
export function readStackFile(project: Project, stack: string): StackFile {
  const path = [".yaml", ".yml"].map((ending) => join(project.stackDir, `Pulumi.${stack}${ending}`)).find(existsSync);
  if (!path) {
    const known = stacksOf(project);
    throw wrongInput("the command line", {
      path: "--stack",
      got: stack,
      why: `There is no Pulumi.${stack}.yaml in ${project.stackDir}.`,
      fix: known.length > 0 ? `choose one of ${known.join(", ")}` : `write Pulumi.${stack}.yaml`,
    });
  }
  const content = readYaml(path) as { config?: Record<string, unknown>; environment?: unknown };
  const values = new Map<string, unknown>();
  const secretKeys: string[] = [];
  for (const [key, value] of Object.entries(content.config ?? {})) {
    const full = fullKey(project.name, key);
    if (isRecord(value) && typeof value["secure"] === "string") secretKeys.push(full);
    values.set(full, isRecord(value) && "secure" in value ? "[secret]" : value);
  }
  return { values, secretKeys, environments: environmentNames(content.environment) };
}

/** A key without a namespace belongs to the project. */
export function fullKey(project: string, key: string): string {
  return key.includes(":") ? key : `${project}:${key}`;
}

function environmentNames(environment: unknown): string[] {
  const imports = isRecord(environment) ? environment["imports"] : environment;
  return Array.isArray(imports) ? imports.filter((item) => typeof item === "string") : [];
}

function declaredDefaults(project: string, config: Record<string, unknown>): Map<string, unknown> {
  return new Map(
    Object.entries(config).map(([key, declared]) => [
      fullKey(project, key),
      isRecord(declared) ? (declared["value"] ?? declared["default"]) : declared,
    ]),
  );
}

/** A folder's program is the `main` of the nearest package.json, or its index file: Pulumi's own rule. */
function entryOf(main: string): string {
  const candidates = [main];
  if (existsSync(main) && statSync(main).isDirectory()) {
    const manifest = nearest(main, "package.json");
    const named = manifest && (JSON.parse(readFileSync(manifest, "utf8")) as { main?: string }).main;
    if (manifest && named && dirname(manifest) === main) candidates.unshift(join(main, named));
    candidates.push(join(main, "index.ts"), join(main, "index.js"));
  }
  const entry = candidates.find((file) => existsSync(file) && statSync(file).isFile());
  if (entry) return entry;
  throw wrongInput("Pulumi.yaml", {
    path: "main",
    got: main,
    why: "There is no program there.",
    fix: "point main at the program's folder or file",
  });
}

function nearest(from: string, file: string): string | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    const candidate = join(dir, file);
    if (existsSync(candidate)) return candidate;
    if (dirname(dir) === dir) return undefined;
  }
}

function readYaml(file: string): unknown {
  try {
    return loadAll(readFileSync(file, "utf8"))[0] ?? {};
  } catch (error) {
    throw wrongInput(basename(file), {
      path: file,
      got: "text that is not YAML",
      why: (error as Error).message,
      fix: "correct the file",
    });
  }
}

function wrongInput(subject: string, problem: { path: string; got: unknown; why: string; fix: string }): InputError {
  return new InputError(subject, [{ code: "not-allowed", ...problem }]);
}
