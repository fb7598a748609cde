import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { dump, load } from "js-yaml";
import { describe, inject, onTestFinished } from "vitest";
import { createCloud } from "../../simulation/create-cloud";
import {
  cleanEnvironment,
  type CliContext,
  runCommand,
  startCommand,
  stateFolder,
} from "../../simulation/pulumi/command";
import { type Command, commandLine, type CommandOptions } from "../support/test-workspace";
import { onPath } from "../../simulation/pulumi/find-pulumi";
import type { Outcome } from "../../simulation/pulumi/outcome";
import { startProviders } from "../../simulation/provider/serve";
import type { SimulatedCloud } from "../../simulation/cloud/simulated-cloud";
import { describeEngine } from "../engine/support/engine";
import { commandsOf, installedExample } from "./examples";
import { saySkipped } from "../support/skips";

/** The command of docs/languages.md that adds the installed package to a program. */
export const addPackage = "pulumi package add ./node_modules/eks-gpu-lab/provider";

/** Whether the host of a language is there. Where it is not, say so, or fail where it is required. */
export function hasLanguage(language: string): boolean {
  const host = `pulumi-language-${language}`;
  // Without the CLI, the setup of the engine tests says so.
  if (inject("pulumi") === undefined) return false;
  if (onPath(host) !== undefined) return true;
  if (process.env["REQUIRE_PULUMI"]) throw new Error(`The tests of ${language} cannot run: ${host} is not on the PATH`);
  saySkipped(`Tests of ${language} are skipped: ${host} is not on the PATH`);
  return false;
}

/** Like `describeEngine`, but also skipped without the language host. */
export function describeLanguage(language: string): typeof describe.skip {
  return hasLanguage(language) ? describeEngine : describe.skip;
}

/** A CLI with the simulated account. */
export interface Cli {
  readonly cloud: SimulatedCloud;
  readonly env: NodeJS.ProcessEnv;
  /** Runs a line of a shell, as a reader would. @throws Error with its output if it fails */
  readonly shell: (line: string, cwd: string) => Promise<string>;
}

/** A program in any language, on the real engine. It has the package of the tarball. */
export interface Program {
  readonly cloud: SimulatedCloud;
  readonly dir: string;
  readonly shell: (line: string) => Promise<string>;
  /** Runs the program on the stack `dev`. */
  run(command: Command, options?: CommandOptions): Promise<Outcome>;
}

/** A CLI for the current test. */
export async function openCli(env: NodeJS.ProcessEnv = {}): Promise<Cli> {
  const home = mkdtempSync(join(tmpdir(), "eks-gpu-lab-program-"));
  const cloud = createCloud();
  const providers = await startProviders(cloud);
  onTestFinished(async () => {
    await providers.close();
    rmSync(home, { recursive: true, force: true });
  });
  mkdirSync(stateFolder(home), { recursive: true });
  const clean = { ...cleanEnvironment(home, providers.debugProviders), ...env };
  const whole = { ...clean, PATH: [ownAddress(home), clean["PATH"]].join(delimiter) };
  return {
    cloud,
    env: whole,
    shell: (line, cwd) => runCommand({ command: "bash", cwd, env: whole }, ["-c", `exec 2>&1; ${line}`]),
  };
}

/** A folder with a `curl` that answers a question for the own address without a network. */
function ownAddress(home: string): string {
  const folder = join(home, "bin");
  mkdirSync(folder);
  writeFileSync(join(folder, "curl"), "#!/bin/sh\necho 8.8.8.8\n");
  chmodSync(join(folder, "curl"), 0o755);
  return folder;
}

/** The edited text of files, by name. */
export type Edits = Readonly<Record<string, (text: string) => string>>;

/**
 * A copy of an example for the current test, in another repository that has installed the package: it adds the package as
 * docs/languages.md says, and then runs the commands of the README up to the preview.
 *
 * @param env further variables of the CLI
 */
export async function openProgram(
  example: string,
  { edits = {}, env = {} }: { readonly edits?: Edits; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Program> {
  const pulumi = inject("pulumi");
  if (!pulumi) throw new Error("The Pulumi CLI is missing.");
  const { cloud, shell, env: whole } = await openCli(env);
  const dir = await installedExample(example);
  for (const [file, edit] of Object.entries({ "Pulumi.yaml": withoutPackages, ...edits })) {
    writeFileSync(join(dir, file), edit(readFileSync(join(dir, file), "utf8")));
  }
  const context: CliContext = { command: pulumi.command, cwd: dir, env: whole };
  const program: Program = {
    cloud,
    dir,
    shell: (line) => shell(line, dir),
    run: (command, options = {}) => startCommand(context, [...commandLine(command, options), "--stack", "dev"]).outcome,
  };
  for (const line of [addPackage, ...preparationOf(example)]) await program.shell(line);
  return program;
}

/** The commands of Pulumi before the preview. The first command of a README installs this repository. */
function preparationOf(example: string): string[] {
  const lines = commandsOf(example).map(({ line }) => line);
  return lines.slice(1, lines.indexOf("pulumi preview"));
}

/** Pulumi.yaml before the package is added. */
function withoutPackages(text: string): string {
  const { packages: _, ...project } = load(text) as Record<string, unknown>;
  return dump(project);
}
