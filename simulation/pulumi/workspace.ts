import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineEvent } from "@pulumi/pulumi/automation/events";
import type { Project } from "../../planner/program/project";
import { lastOfEach, stackConfig } from "../../planner/program/stack-config";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import { type ProviderServers, startProviders } from "../provider/serve";
import {
  cleanEnvironment,
  type CliContext,
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

/** Options of a command that prints JSON events, asks nothing and skips the preview. */
const quietly = ["--non-interactive", "--json", "--yes", "--skip-preview"];

/** A resource of a state, with its dependencies. */
export interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly dependencies?: readonly string[] | undefined;
}

/**
 * A stack of the user's project that the user's Pulumi CLI deploys to a simulated cloud. Its state is in a temporary folder;
 * it needs no account and no network, and does not write to the project.
 */
export class Workspace {
  private running: RunningCommand | undefined;

  /** Use {@link open}. */
  constructor(
    readonly cloud: SimulatedCloud,
    protected readonly args: WorkspaceArgs,
    protected readonly folder: string,
    protected readonly copy: ProjectCopy,
    protected readonly providers: ProviderServers,
  ) {}

  /** Starts the providers and creates an empty stack. @throws InputError when the configuration cannot be read */
  static async open<Opened extends Workspace>(
    this: new (...parts: ConstructorParameters<typeof Workspace>) => Opened,
    args: WorkspaceArgs,
  ): Promise<Opened> {
    const { values } = stackConfig(args.project, args.stack, lastOfEach(args.config ?? []));
    const folder = mkdtempSync(join(tmpdir(), "eks-gpu-lab-simulated-"));
    mkdirSync(stateFolder(folder), { recursive: true });
    const copy = copyProject(args.project, join(folder, "project"));
    const start = args.providers ?? startProviders;
    const workspace = new this(args.cloud, args, folder, copy, await start(args.cloud, args.project.dir));
    try {
      return await workspace.initialized(values);
    } catch (error) {
      await workspace.close();
      throw error;
    }
  }

  protected async initialized(values: Readonly<Record<string, string>>): Promise<this> {
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

  up(): Promise<Outcome> {
    return this.run(["up", ...quietly]).outcome;
  }

  destroy(): Promise<Outcome> {
    return this.run(["destroy", ...quietly]).outcome;
  }

  /** Starts a command that prints events. */
  protected run(line: readonly string[]): RunningCommand {
    this.running = startCommand(this.context, [...line, "--stack", this.args.stack], this.args.onEvent);
    return this.running;
  }

  /** Asks the running command, if any, to stop after its current operations. */
  interrupt(): void {
    this.running?.kill("SIGINT");
  }

  /** The resources of the state. */
  async resources(): Promise<readonly StateResource[]> {
    interface Export {
      readonly deployment: { readonly resources?: readonly StateResource[] };
    }
    const { deployment } = JSON.parse(await readFile(await this.writeState(), "utf8")) as Export;
    return deployment.resources ?? [];
  }

  /** Stops the providers and removes the state. */
  async close(): Promise<void> {
    await this.providers.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  protected async writeState(): Promise<string> {
    await runCommand(this.context, ["stack", "export", "--file", this.stateFile, "--stack", this.args.stack]);
    return this.stateFile;
  }

  /** One file per stack, because several stacks may be exported at once. */
  protected get stateFile(): string {
    return join(this.folder, `${this.args.stack}.state.json`);
  }

  /** How the Pulumi CLI runs in this workspace. */
  get context(): CliContext {
    const env = cleanEnvironment(this.folder, this.providers.debugProviders);
    return { command: this.args.cli.command, cwd: this.copy.dir, env };
  }
}
