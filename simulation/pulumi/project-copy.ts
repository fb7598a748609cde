import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dump, load } from "js-yaml";
import type { Project } from "../../planner/program/project";

/** Folder of a copy's stack configuration. */
const stackConfigDir = ".simulated-stacks";

/** The same project under another roof: its files are the user's own, its stack configuration and state are not. */
export interface ProjectCopy {
  /** The folder of Pulumi.yaml. */
  readonly dir: string;
  /** Where the CLI reads and writes the configuration of a stack. */
  stackFile(stack: string): string;
}

/**
 * Puts a project into a folder of its own. Its entries are links, so that the program runs from where it is, with its
 * own modules; Pulumi.yaml is changed, so that nothing is written to the user's stack files and backend.
 */
export function copyProject(project: Project, dir: string): ProjectCopy {
  mkdirSync(join(dir, stackConfigDir), { recursive: true });
  const own = new Set(["Pulumi.yaml", stackConfigDir, ".git"]);
  for (const entry of readdirSync(project.dir)) {
    if (own.has(entry)) continue;
    const target = join(project.dir, entry);
    if (existsSync(target)) symlinkSync(target, join(dir, entry), statSync(target).isDirectory() ? "junction" : "file");
  }
  const { backend: _, ...content } = load(readFileSync(join(project.dir, "Pulumi.yaml"), "utf8")) as Content;
  writeFileSync(join(dir, "Pulumi.yaml"), dump({ ...content, stackConfigDir }));
  return { dir, stackFile: (stack) => join(dir, stackConfigDir, `Pulumi.${stack}.yaml`) };
}

type Content = Record<string, unknown> & { readonly backend?: unknown };

/**
 * Writes a stack's configuration. What the CLI needs to read secrets is kept.
 *
 * @param values full keys to texts; structured values as JSON
 */
export function writeStackFile(file: string, values: Readonly<Record<string, string>>): void {
  const old = existsSync(file) ? (load(readFileSync(file, "utf8")) as Record<string, unknown> | undefined) : undefined;
  const config = Object.fromEntries(Object.entries(values).map(([key, text]) => [key, structured(text)]));
  writeFileSync(file, dump({ ...old, config }));
}

/** Objects and lists as such: the CLI compares them with the types that Pulumi.yaml declares. */
function structured(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
