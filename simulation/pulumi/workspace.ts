import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { EngineEvent } from "@pulumi/pulumi/automation/events";
import type { Project } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import { type ProviderServers, startProviders } from "../provider/serve";
import {
  cleanEnvironment,
  type CliContext,
  type Command,
  commandLine,
  type CommandOptions,
  runCommand,
  type RunningCommand,
  startCommand,
  stateFolder,
} from "./command";
import type { PulumiCli } from "./find-pulumi";
import type { Outcome } from "./outcome";
import { copyProject, type ProjectCopy, writeStackFile } from "./project-copy";

/** What a workspace is opened with. */
export interface WorkspaceArgs {
  readonly cli: PulumiCli;
  readonly project: Project;
  readonly stack: string;
  readonly cloud: SimulatedCloud;
  /** `key=value` texts laid over the stack's configuration, as `pulumi config set --path` reads them. @default [] */
  readonly config?: readonly string[];
  /** Hears every event of every command when it comes. @default nobody */
  readonly onEvent?: (event: EngineEvent) => void;
}

/** A deployment as `pulumi stack export` writes it, as far as anyone reads it. */
export interface ExportedStack {
  readonly version: number;
  readonly deployment: {
    readonly resources?: readonly ExportedResource[];
    /** What a killed run had begun. */
    readonly pending_operations?: readonly PendingOperation[];
  };
}

export interface PendingOperation {
  readonly type: string;
  readonly resource: ExportedResource;
}

export interface ExportedResource {
  readonly urn: string;
  readonly type: string;
  readonly custom: boolean;
  /** The old part of a replacement, to be deleted. */
  readonly delete?: boolean;
  readonly id?: string;
  /** URNs of what it depends on. */
  readonly dependencies?: readonly string[];
  readonly parent?: string;
  /** URN and id of its provider. */
  readonly provider?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/**
 * A stack of the user's project, run by the user's own Pulumi CLI against a simulated cloud: with a state of its
 * own in a temporary folder, without an account and a network. Nothing of the project is written.
 */
export class Workspace {
  private running: RunningCommand | undefined;

  private constructor(
    readonly cloud: SimulatedCloud,
    private readonly args: WorkspaceArgs,
    private readonly folder: string,
    private readonly copy: ProjectCopy,
    private readonly providers: ProviderServers,
  ) {}

  /** Starts the providers and makes the empty stack. @throws InputError when the configuration cannot be read */
  static async open(args: WorkspaceArgs): Promise<Workspace> {
    const { values } = stackConfig(args.project, args.stack, args.config ?? []);
    const folder = mkdtempSync(join(tmpdir(), "eks-gpu-lab-simulated-"));
    mkdirSync(stateFolder(folder), { recursive: true });
    const copy = copyProject(args.project, join(folder, "project"));
    const workspace = new Workspace(args.cloud, args, folder, copy, await startProviders(args.cloud, args.project.dir));
    try {
      return await workspace.initialized(values);
    } catch (error) {
      await workspace.close();
      throw error;
    }
  }

  /** Another stack of the project, empty, with the same cloud and backend. It ends when this workspace is closed. */
  async addStack(stack: string, config: readonly string[] = []): Promise<Workspace> {
    const args = { ...this.args, stack, config };
    const { values } = stackConfig(args.project, stack, config);
    return new Workspace(this.cloud, args, this.folder, this.copy, this.providers).initialized(values);
  }

  private async initialized(values: Readonly<Record<string, string>>): Promise<this> {
    const { stack } = this.args;
    await runCommand(this.context, ["stack", "init", stack, "--non-interactive"]);
    writeStackFile(this.copy.stackFile(stack), values);
    return this;
  }

  /** Lays other values over the stack's own configuration, in place of those before. */
  configure(overrides: readonly string[]): void {
    const { project, stack } = this.args;
    writeStackFile(this.copy.stackFile(stack), stackConfig(project, stack, overrides).values);
  }

  preview(options: CommandOptions = {}): Promise<Outcome> {
    return this.start("preview", options).outcome;
  }

  up(options: CommandOptions = {}): Promise<Outcome> {
    return this.start("up", options).outcome;
  }

  refresh(options: CommandOptions = {}): Promise<Outcome> {
    return this.start("refresh", options).outcome;
  }

  destroy(options: CommandOptions = {}): Promise<Outcome> {
    return this.start("destroy", options).outcome;
  }

  /** Starts a command that can be ended before it is done. */
  start(command: Command, options: CommandOptions = {}): RunningCommand {
    const line = [...commandLine(command, options), "--stack", this.args.stack];
    this.running = startCommand(this.context, line, this.args.onEvent);
    return this.running;
  }

  /** Asks the command that runs, if one does, to end what it is at and to stop. */
  interrupt(): void {
    this.running?.kill("SIGINT");
  }

  /** Starts the providers again that crashed. */
  async restartProviders(): Promise<void> {
    await this.providers.restart();
  }

  /** Takes away the lock that a killed command left. */
  async cancel(): Promise<void> {
    await runCommand(this.context, ["cancel", "--yes", "--stack", this.args.stack]);
  }

  /** The state, secrets encrypted. */
  async exportState(): Promise<ExportedStack> {
    return JSON.parse(await readFile(await this.writeState(), "utf8")) as ExportedStack;
  }

  /** Puts another state in place of the stack's. */
  async importState(state: ExportedStack): Promise<void> {
    const file = this.stateFile;
    await writeFile(file, JSON.stringify(state));
    await runCommand(this.context, ["stack", "import", "--file", file, "--stack", this.args.stack]);
  }

  /** What a policy pack says of the state, without a run of the program. */
  async analyze(policyPack: string): Promise<Outcome> {
    const file = await this.writeState();
    return startCommand(this.context, [
      "policy",
      "analyze",
      "--json",
      "--file",
      file,
      "--policy-pack",
      resolve(policyPack),
    ]).outcome;
  }

  /** Stops the providers and removes the state. */
  async close(): Promise<void> {
    await this.providers.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async writeState(): Promise<string> {
    await runCommand(this.context, ["stack", "export", "--file", this.stateFile, "--stack", this.args.stack]);
    return this.stateFile;
  }

  /** Of each stack its own: several may be read at once. */
  private get stateFile(): string {
    return join(this.folder, `${this.args.stack}.state.json`);
  }

  private get context(): CliContext {
    const env = cleanEnvironment(this.folder, this.providers.debugProviders);
    return { command: this.args.cli.command, cwd: this.copy.dir, env };
  }
}
