import { rmSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { lastOfEach, stackConfig } from "../../planner/program/stack-config";
import { runCommand, startCommand, stateFolder, type RunningCommand } from "../../simulation/pulumi/command";
import type { Outcome } from "../../simulation/pulumi/outcome";
import { Workspace } from "../../simulation/pulumi/workspace";

export type Command = "preview" | "up" | "refresh" | "destroy";

/** Options of a command. */
export interface CommandOptions {
  /** Fails with status 7 if there are changes. @default false */
  readonly expectNoChanges?: boolean;
  /** Refreshes the state first. @default false */
  readonly refresh?: boolean;
  /** Folders of policy packs. @default [] */
  readonly policyPacks?: readonly string[];
  /** Continues with resources that do not depend on a failed one. @default false */
  readonly continueOnError?: boolean;
  /** For a refresh: drops the pending creates of a killed run. @default false */
  readonly clearPendingCreates?: boolean;
  /** For a refresh: names the IDs of the pending creates of a killed run. @default [] */
  readonly importPendingCreates?: readonly { readonly urn: string; readonly id: string }[];
  /** URNs of resources that are replaced although nothing changes. No other resource changes. @default [] */
  readonly targetReplace?: readonly string[];
  /** Runs the preview before an update or a destroy, as in a terminal. @default false */
  readonly previewFirst?: boolean;
  /** Runs the program before a destroy, for its hooks. @default false */
  readonly runProgram?: boolean;
  /** Number of parallel operations. @default 8 */
  readonly parallel?: number;
}

/** The CLI arguments of a command. It prints JSON events, asks nothing and skips the preview. */
export function commandLine(command: Command, options: CommandOptions): string[] {
  const { policyPacks = [], targetReplace = [], importPendingCreates: adopted = [], parallel } = options;
  return [
    command,
    "--non-interactive",
    "--json",
    ...(command === "preview" ? [] : ["--yes", ...(options.previewFirst ? [] : ["--skip-preview"])]),
    ...(options.expectNoChanges ? ["--expect-no-changes"] : []),
    ...(options.refresh ? ["--refresh"] : []),
    ...(options.runProgram ? ["--run-program"] : []),
    ...(options.continueOnError ? ["--continue-on-error"] : []),
    ...(options.clearPendingCreates ? ["--clear-pending-creates"] : []),
    ...adopted.flatMap(({ urn, id }) => ["--import-pending-creates", urn, "--import-pending-creates", id]),
    ...(parallel === undefined ? [] : ["--parallel", String(parallel)]),
    ...targetReplace.flatMap((urn) => ["--target-replace", urn]),
    ...policyPacks.flatMap((pack) => ["--policy-pack", resolve(pack)]),
  ];
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

/** A workspace with the commands of the Pulumi CLI that a rehearsal does not run. */
export class TestWorkspace extends Workspace {
  /** Creates another empty stack of the project in the same cloud and backend. Closing this workspace closes it too. */
  async addStack(stack: string, config: readonly string[] = []): Promise<TestWorkspace> {
    const args = { ...this.args, stack, config };
    const { values } = stackConfig(args.project, stack, lastOfEach(config));
    return new TestWorkspace(this.cloud, args, this.folder, this.copy, this.providers).initialized(values);
  }

  preview(options: CommandOptions = {}): Promise<Outcome> {
    return this.start("preview", options).outcome;
  }

  override up(options: CommandOptions = {}): Promise<Outcome> {
    return this.start("up", options).outcome;
  }

  refresh(options: CommandOptions = {}): Promise<Outcome> {
    return this.start("refresh", options).outcome;
  }

  override destroy(options: CommandOptions = {}): Promise<Outcome> {
    return this.start("destroy", options).outcome;
  }

  /** Starts a command that can be interrupted. */
  start(command: Command, options: CommandOptions = {}): RunningCommand {
    return this.run(commandLine(command, options));
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
  async rename(stack: string): Promise<TestWorkspace> {
    await runCommand(this.context, ["stack", "rename", stack, "--stack", this.args.stack, "--non-interactive"]);
    const args = { ...this.args, stack, configuredAs: this.args.configuredAs ?? this.args.stack };
    return new TestWorkspace(this.cloud, args, this.folder, this.copy, this.providers);
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
}
