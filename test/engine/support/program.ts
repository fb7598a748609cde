import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { dump, load } from "js-yaml";
import { inject, onTestFinished } from "vitest";
import { createCloud } from "../../../simulation/create-cloud";
import {
  cleanEnvironment,
  type CliContext,
  type Command,
  commandLine,
  type CommandOptions,
  runCommand,
  startCommand,
  stateFolder,
} from "../../../simulation/pulumi/command";
import type { Outcome } from "../../../simulation/pulumi/outcome";
import { writeStackFile } from "../../../simulation/pulumi/project-copy";
import { startProviders } from "../../../simulation/provider/serve";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";

/** The component provider of this project. */
export const providerFolder = resolve("provider");

/** A program in any language, on the real engine and the simulated account. */
export interface Program {
  readonly cloud: SimulatedCloud;
  readonly context: CliContext;
  /** Runs the program on the stack `dev`. */
  run(command: Command, options?: CommandOptions): Promise<Outcome>;
  /** Replaces the configuration of the stack. Values are strings by full key, structured ones as JSON. */
  configure(values: Readonly<Record<string, string>>): void;
}

/** The edited text of files, by name. */
export type Edits = Readonly<Record<string, (text: string) => string>>;

/**
 * A copy of the program in a folder, for the current test. Its package `eks-gpu-lab` is the provider of this project.
 *
 * @param env further variables of the CLI
 */
export async function openProgram(
  folder: string,
  { edits = {}, env = {} }: { readonly edits?: Edits; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Program> {
  const cli = inject("pulumi");
  if (!cli) throw new Error("The Pulumi CLI is missing.");
  const home = mkdtempSync(join(tmpdir(), "eks-gpu-lab-program-"));
  const cloud = createCloud();
  const providers = await startProviders(cloud);
  onTestFinished(async () => {
    await providers.close();
    rmSync(home, { recursive: true, force: true });
  });
  const cwd = join(home, "program");
  mkdirSync(stateFolder(home), { recursive: true });
  cpSync(folder, cwd, { recursive: true });
  for (const [file, edit] of Object.entries({ "Pulumi.yaml": withProvider, ...edits })) {
    writeFileSync(join(cwd, file), edit(existsSync(join(cwd, file)) ? readFileSync(join(cwd, file), "utf8") : ""));
  }
  const context = { command: cli.command, cwd, env: { ...cleanEnvironment(home, providers.debugProviders), ...env } };
  await runCommand(context, ["stack", "init", "dev", "--non-interactive"]);
  return {
    cloud,
    context,
    run: (command, options = {}) => startCommand(context, [...commandLine(command, options), "--stack", "dev"]).outcome,
    configure: (values) => writeStackFile(join(cwd, "Pulumi.dev.yaml"), values),
  };
}

/** Pulumi.yaml with the folder of this project's provider: a copy has another path to it. */
function withProvider(text: string): string {
  const project = load(text) as Record<string, unknown>;
  return dump({ ...project, packages: { "eks-gpu-lab": providerFolder } });
}
