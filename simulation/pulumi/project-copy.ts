import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { dump, load } from "js-yaml";
import { parsedOrString } from "../../components/core/json-text";
import type { Project } from "../../planner/program/project";

/** The folder of the copy's stack configuration. */
const stackConfigDir = ".simulated-stacks";

/** A copy of a project that links the user's files, and has its own stack configuration and state. */
export interface ProjectCopy {
  /** The folder of Pulumi.yaml. */
  readonly dir: string;
  /** The configuration file of a stack. */
  stackFile(stack: string): string;
}

/**
 * Creates a copy of a project in a folder. Its entries are links, so that the program runs with its own modules.
 * Pulumi.yaml is changed, so that the CLI does not write to the user's stack files and backend.
 */
export function copyProject(project: Project, dir: string): ProjectCopy {
  mkdirSync(join(dir, stackConfigDir), { recursive: true });
  const own = new Set(["Pulumi.yaml", stackConfigDir, ".git", "node_modules"]);
  const entries = readdirSync(project.dir).filter((entry) => !own.has(entry));
  for (const target of [...entries.map((entry) => join(project.dir, entry)), modulesOf(project.dir)]) {
    const type = existsSync(target) && (statSync(target).isDirectory() ? "junction" : "file");
    if (type) symlinkSync(target, join(dir, basename(target)), type);
  }
  const { backend: _, ...content } = load(readFileSync(join(project.dir, "Pulumi.yaml"), "utf8")) as Content;
  writeFileSync(join(dir, "Pulumi.yaml"), dump({ ...content, stackConfigDir }));
  return { dir, stackFile: (stack) => join(dir, stackConfigDir, `Pulumi.${stack}.yaml`) };
}

/** The modules in which the CLI finds the Pulumi SDK. In an npm workspace, they can be in a folder above the project. */
function modulesOf(folder: string): string {
  const modules = join(folder, "node_modules");
  const parent = dirname(folder);
  return parent === folder || existsSync(join(modules, "@pulumi/pulumi")) ? modules : modulesOf(parent);
}

type Content = Record<string, unknown> & { readonly backend?: unknown };

/**
 * Writes the configuration of a stack, and keeps its encryption settings.
 *
 * @param values strings by full key; structured values as JSON
 */
export function writeStackFile(file: string, values: Readonly<Record<string, string>>): void {
  const old = existsSync(file) ? (load(readFileSync(file, "utf8")) as Record<string, unknown> | undefined) : undefined;
  // The CLI compares values with the types in Pulumi.yaml.
  const config = Object.fromEntries(Object.entries(values).map(([key, text]) => [key, parsedOrString(text)]));
  writeFileSync(file, dump({ ...old, config }));
}
