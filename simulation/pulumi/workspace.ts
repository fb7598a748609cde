import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { EngineEvent } from "@pulumi/pulumi/automation/events";
import type { Project } from "../../planner/program/project";
import { lastOfEach, stackConfig } from "../../planner/program/stack-config";
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

/** How a workspace is opened. */
interface WorkspaceArgs {
  readonly cli: PulumiCli;
  readonly project: Project;
  readonly stack: string;
  /** The stack whose file in the project has the configuration. @default stack */
  readonly configuredAs?: string;
  readonly cloud: SimulatedCloud;
  /** Overrides of the stack's configuration: `key=value`, as in `pulumi config set --path`. @default [] */
  readonly config?: readonly string[];
  /** Starts the providers. @default startProviders - all providers are simulated */
  readonly providers?: typeof startProviders;
  /** Receives every event of every command. */
  readonly onEvent?: (event: EngineEvent) => void;
}

/** The parts of the output of `pulumi stack export` that are used. */
export interface ExportedStack {
  readonly version: number;
  readonly deployment: {
    readonly resources?: readonly ExportedResource[];
    /** Operations that a killed run did not finish. */
    readonly pending_operations?: readonly PendingOperation[];
  };
}

interface PendingOperation {
  readonly type: string;
  readonly resource: ExportedResource;
}

export interface ExportedResource {
  readonly urn: string;
  readonly type: string;
  readonly custom: boolean;
  /** Whether this is the old object of a replacement, to be deleted. */
  readonly delete?: boolean;
  readonly id?: string;
  /** URNs of the resources it depends on. */
  readonly dependencies?: readonly string[];
  readonly parent?: string;
  /** `URN::id` of its provider. */
  readonly provider?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/**
 * A stack of the user's project that the user's Pulumi CLI deploys to a simulated cloud. Its state is in a temporary folder;
 * it needs no account and no network, and does not write to the project.
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

  /** Starts the providers and creates an empty stack. @throws InputError when the configuration cannot be read */
  static async open(args: WorkspaceArgs): Promise<Workspace> {
    const { values } = stackConfig(args.project, args.stack, lastOfEach(args.config ?? []));
    const folder = mkdtempSync(join(tmpdir(), "eks-gpu-lab-simulated-"));
    mkdirSync(stateFolder(folder), { recursive: true });
    const copy = copyProject(args.project, join(folder, "project"));
    const start = args.providers ?? startProviders;
    const workspace = new Workspace(args.cloud, args, folder, copy, await start(args.cloud, args.project.dir));
    try {
      return await workspace.initialized(values);
    } catch (error) {
      await workspace.close();
      throw error;
    }
  }

  /** Creates another empty stack of the project in the same cloud and backend. Closing this workspace closes it too. */
  async addStack(stack: string, config: readonly string[] = []): Promise<Workspace> {
    const args = { ...this.args, stack, config };
    const { values } = stackConfig(args.project, stack, lastOfEach(config));
    return new Workspace(this.cloud, args, this.folder, this.copy, this.providers).initialized(values);
  }

  private async initialized(values: Readonly<Record<string, string>>): Promise<this> {
    const { stack } = this.args;
    await runCommand(this.context, ["stack", "init", stack, "--non-interactive"]);
    writeStackFile(this.copy.stackFile(stack), values);
    return this;
  }

  /** Replaces the overrides of the stack's configuration. A later override of a key wins. */
  configure(overrides: readonly string[]): void {
    const { project, stack, configuredAs = stack } = this.args;
    writeStackFile(this.copy.stackFile(stack), stackConfig(project, configuredAs, lastOfEach(overrides)).values);
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

  /** Starts a command that can be interrupted. */
  start(command: Command, options: CommandOptions = {}): RunningCommand {
    const line = [...commandLine(command, options), "--stack", this.args.stack];
    this.running = startCommand(this.context, line, this.args.onEvent);
    return this.running;
  }

  /** Asks the running command, if any, to stop after its current operations. */
  interrupt(): void {
    this.running?.kill("SIGINT");
  }

  /** Restarts the crashed providers. */
  async restartProviders(): Promise<void> {
    await this.providers.restart();
  }

  /** The attributes of the file with the state, as the local backend keeps them. */
  get attributesFile(): string {
    const { stack, project } = this.args;
    return join(stateFolder(this.folder), ".pulumi", "stacks", project.name, `${stack}.json.attrs`);
  }

  /** Removes the empty attributes that a kill during a write leaves. No command could read the stack. */
  repair(): void {
    const { size } = statSync(this.attributesFile, { throwIfNoEntry: false }) ?? {};
    if (size === 0) rmSync(this.attributesFile);
  }

  /** Removes the lock of a killed command. */
  async cancel(): Promise<void> {
    this.repair();
    await runCommand(this.context, ["cancel", "--yes", "--stack", this.args.stack]);
  }

  /** Renames the stack. This workspace must not be used afterwards, except to close it. */
  async rename(stack: string): Promise<Workspace> {
    await runCommand(this.context, ["stack", "rename", stack, "--stack", this.args.stack, "--non-interactive"]);
    const args = { ...this.args, stack, configuredAs: this.args.configuredAs ?? this.args.stack };
    return new Workspace(this.cloud, args, this.folder, this.copy, this.providers);
  }

  /** Removes a resource from the state only, even if it is protected. */
  async forget(urn: string): Promise<void> {
    await runCommand(this.context, ["state", "delete", urn, "--force", "--yes", "--stack", this.args.stack]);
  }

  /** Imports an object under a name, without a parent, as users do; Pulumi protects it. */
  async importObject(type: string, name: string, id: string): Promise<void> {
    const options = ["--generate-code=false", "--skip-preview", "--yes", "--stack", this.args.stack];
    await runCommand(this.context, ["import", type, name, id, ...options]);
  }

  /** Protects a resource from being deleted or replaced. */
  async protect(urn: string): Promise<void> {
    await runCommand(this.context, ["state", "protect", urn, "--yes", "--stack", this.args.stack]);
  }

  /** Ends the protection of all resources. */
  async unprotect(): Promise<void> {
    await runCommand(this.context, ["state", "unprotect", "--all", "--yes", "--stack", this.args.stack]);
  }

  /** The state, with encrypted secrets. */
  async exportState(): Promise<ExportedStack> {
    return JSON.parse(await readFile(await this.writeState(), "utf8")) as ExportedStack;
  }

  /** Replaces the state of the stack. */
  async importState(state: ExportedStack): Promise<void> {
    const file = this.stateFile;
    await writeFile(file, JSON.stringify(state));
    await runCommand(this.context, ["stack", "import", "--file", file, "--stack", this.args.stack]);
  }

  /** Runs a policy pack on the state, without the program. */
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

  /** One file per stack, because several stacks may be exported at once. */
  private get stateFile(): string {
    return join(this.folder, `${this.args.stack}.state.json`);
  }

  /** How the Pulumi CLI runs in this workspace. */
  get context(): CliContext {
    const env = cleanEnvironment(this.folder, this.providers.debugProviders);
    return { command: this.args.cli.command, cwd: this.copy.dir, env };
  }
}
