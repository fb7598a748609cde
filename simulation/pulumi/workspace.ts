import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { EngineEvent } from "@pulumi/pulumi/automation/events";
import type { Project } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import { serve, type Served } from "../provider/serve";
import type { World } from "../world/world";
import { commandLine, type Command, type CommandOptions } from "./command-line";
import { cleanEnvironment, stateFolder } from "./environment";
import type { PulumiCli } from "./find-pulumi";
import type { Outcome } from "./outcome";
import { copyProject, writeStackFile, type ProjectCopy } from "./project-copy";
import { call, start, type Place, type Running } from "./run";

/** What a workspace is opened with. */
export interface WorkspaceArgs {
  readonly cli: PulumiCli;
  readonly project: Project;
  readonly stack: string;
  readonly world: World;
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
 * A stack of the user's project, run by the user's own Pulumi CLI against a simulated world: with a state of its
 * own in a temporary folder, without an account and a network. Nothing of the project is written.
 */
export class Workspace {
  private running: Running | undefined;

  private constructor(
    readonly world: World,
    private readonly args: WorkspaceArgs,
    private readonly folder: string,
    private readonly copy: ProjectCopy,
    private readonly providers: Served,
  ) {}

  /** Starts the providers and makes the empty stack. @throws InputError when the configuration cannot be read */
  static async open(args: WorkspaceArgs): Promise<Workspace> {
    const { values } = stackConfig(args.project, args.stack, args.config ?? []);
    const folder = mkdtempSync(join(tmpdir(), "eks-gpu-lab-simulated-"));
    mkdirSync(stateFolder(folder), { recursive: true });
    const copy = copyProject(args.project, join(folder, "project"));
    const workspace = new Workspace(args.world, args, folder, copy, await serve(args.world, args.project.dir));
    try {
      return await workspace.initialized(values);
    } catch (error) {
      await workspace.close();
      throw error;
    }
  }

  /** Another stack of the project, empty, with the same world and backend. It ends when this workspace is closed. */
  async beside(stack: string, config: readonly string[] = []): Promise<Workspace> {
    const args = { ...this.args, stack, config };
    const { values } = stackConfig(args.project, stack, config);
    return new Workspace(this.world, args, this.folder, this.copy, this.providers).initialized(values);
  }

  private async initialized(values: Readonly<Record<string, string>>): Promise<this> {
    const { stack } = this.args;
    await call(this.place, ["stack", "init", stack, "--non-interactive"]);
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
  start(command: Command, options: CommandOptions = {}): Running {
    const line = [...commandLine(command, options), "--stack", this.args.stack];
    this.running = start(this.place, line, this.args.onEvent);
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
    await call(this.place, ["cancel", "--yes", "--stack", this.args.stack]);
  }

  /** The state, secrets encrypted. */
  async exportState(): Promise<ExportedStack> {
    return JSON.parse(await readFile(await this.writeState(), "utf8")) as ExportedStack;
  }

  /** Puts another state in place of the stack's. */
  async importState(state: ExportedStack): Promise<void> {
    const file = this.stateFile;
    await writeFile(file, JSON.stringify(state));
    await call(this.place, ["stack", "import", "--file", file, "--stack", this.args.stack]);
  }

  /** What a policy pack says of the state, without a run of the program. */
  async analyze(policyPack: string): Promise<Outcome> {
    const file = await this.writeState();
    return start(this.place, ["policy", "analyze", "--json", "--file", file, "--policy-pack", resolve(policyPack)])
      .outcome;
  }

  /** Stops the providers and removes the state. */
  async close(): Promise<void> {
    await this.providers.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async writeState(): Promise<string> {
    await call(this.place, ["stack", "export", "--file", this.stateFile, "--stack", this.args.stack]);
    return this.stateFile;
  }

  /** Of each stack its own: several may be read at once. */
  private get stateFile(): string {
    return join(this.folder, `${this.args.stack}.state.json`);
  }

  private get place(): Place {
    const env = cleanEnvironment(this.folder, this.providers.debugProviders);
    return { command: this.args.cli.command, cwd: this.copy.dir, env };
  }
}
