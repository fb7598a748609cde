import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, mkdtemp, symlink } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { run, type Finished } from "../package/project";

const folder = "examples";

/** The examples in TypeScript, each a project that the package is installed into. */
export const examples = readdirSync(folder).filter((name) => existsSync(join(folder, name, "tsconfig.json")));

/** The examples in other languages, which name the component provider in Pulumi.yaml. */
export const languageExamples = ["yaml", "python"];

/** Every folder of examples. */
export const exampleFolders = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

export const fileOf = (example: string, file: string): string => join(folder, example, file);

export const textOf = (example: string, file: string): string => readFileSync(fileOf(example, file), "utf8");

/** A line of an `sh` block of a README. Its comment may name the file with its output, and its exit status. */
export interface ReadmeCommand {
  readonly line: string;
  /** File of the example that has the output, e.g. `plan.txt` of `# prints plan.txt`, or the resources in it. */
  readonly golden?: string;
  readonly status: number;
}

export function commandsOf(example: string): ReadmeCommand[] {
  const blocks = [...textOf(example, "README.md").matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
  return blocks.flatMap((block) => block.trim().split("\n")).map(commandOf);
}

function commandOf(text: string): ReadmeCommand {
  const [, line = text, comment = ""] = /^(.*?)\s+# (.*)$/.exec(text) ?? [];
  const golden = /(?<=prints |resources of )[a-z]+\.(?:txt|md)\b/.exec(comment)?.[0];
  return { line, status: Number(/exit status (\d)/.exec(comment)?.[1] ?? 0), ...(golden !== undefined && { golden }) };
}

/** What a command needs that the test does not have: an AWS account, or the Pulumi CLI. */
export function needs({ line }: ReadmeCommand): "account" | "cli" | undefined {
  if (/^(aws|pulumi|npx eks-gpu-lab gpu) /.test(line)) return "account";
  return /\beks-gpu-lab rehearse\b/.test(line) ? "cli" : undefined;
}

/** A copy of an example in which the package is installed. All examples have the same dependencies. */
export async function installedExample(example: string): Promise<string> {
  const { room, project } = inject("consumer");
  const copy = join(await mkdtemp(join(room, "example-")), example);
  const notSource = /\/(node_modules|build|sdks|venv|package-lock\.json)$/;
  await cp(join(folder, example), copy, { recursive: true, filter: (path) => !notSource.test(path) });
  await symlink(join(project, "node_modules"), join(copy, "node_modules"), "dir");
  return copy;
}

/** Runs a line of a shell, as a reader would. */
export function shell(line: string, cwd: string): Promise<Finished> {
  return run("bash", ["-c", line], cwd);
}
