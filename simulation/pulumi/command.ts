import { execFile, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { EngineEvent } from "@pulumi/pulumi/automation/events";
import { type Outcome, readEvents } from "./outcome";

/** Where and as whom the CLI runs. */
export interface CliContext {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A command that runs. */
export interface RunningCommand {
  /** Comes when the process has ended, however it ended. */
  readonly outcome: Promise<Outcome>;
  /** Ends the process, and no other. */
  kill(signal: NodeJS.Signals): void;
}

/**
 * Starts a command that prints the engine's events.
 *
 * @param onEvent hears each event when it comes
 */
export function startCommand(
  place: CliContext,
  args: readonly string[],
  onEvent?: (event: EngineEvent) => void,
): RunningCommand {
  const from = performance.now();
  const child = spawn(place.command, args, {
    cwd: place.cwd,
    env: place.env,
    stdio: ["ignore", "pipe", "pipe"],
    // In a process group of its own: a Ctrl-C reaches it once, by `kill`, for a second one makes Pulumi drop everything.
    detached: true,
  });
  const events: EngineEvent[] = [];
  const complaints: string[] = [];
  createInterface(child.stdout).on("line", (line) => {
    const event = parse(line);
    if (event) {
      events.push(event);
      onEvent?.(event);
    } else complaints.push(line);
  });
  createInterface(child.stderr).on("line", (line) => complaints.push(line));
  const outcome = new Promise<Outcome>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      resolve({
        status: code ?? undefined,
        ...readEvents(events),
        seconds: (performance.now() - from) / 1000,
        cliOutput: complaints.join("\n").trim(),
      }),
    );
  });
  return { outcome, kill: (signal) => void child.kill(signal) };
}

/**
 * Runs a command that prints no events.
 *
 * @returns what it prints
 * @throws Error with its complaint
 */
export async function runCommand({ command, cwd, env }: CliContext, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd, env, maxBuffer: 256 * 1024 * 1024 });
  return stdout;
}

function parse(line: string): EngineEvent | undefined {
  if (!line.startsWith('{"sequence":')) return undefined;
  try {
    return JSON.parse(line) as EngineEvent;
  } catch {
    return undefined;
  }
}

export type Command = "preview" | "up" | "refresh" | "destroy";

/** What a command takes beside its name. */
export interface CommandOptions {
  /** Fails with status 7 when something changes or would change. @default false */
  readonly expectNoChanges?: boolean;
  /** Compares the state with the cloud first. @default false */
  readonly refresh?: boolean;
  /** Folders of policy packs. @default [] */
  readonly policyPacks?: readonly string[];
  /** Goes on with what does not depend on a failure. @default false */
  readonly continueOnError?: boolean;
  /** For a refresh: drops creates of which a killed run did not learn the end. @default false */
  readonly clearPendingCreates?: boolean;
  /** How many operations run at a time. @default 8 */
  readonly parallel?: number;
}

/** The arguments of the CLI. Events come as JSON; no command asks anything or previews first. */
export function commandLine(command: Command, options: CommandOptions): string[] {
  const { policyPacks = [], parallel } = options;
  return [
    command,
    "--non-interactive",
    "--json",
    ...(command === "preview" ? [] : ["--yes", "--skip-preview"]),
    ...(options.expectNoChanges ? ["--expect-no-changes"] : []),
    ...(options.refresh ? ["--refresh"] : []),
    ...(options.continueOnError ? ["--continue-on-error"] : []),
    ...(options.clearPendingCreates ? ["--clear-pending-creates"] : []),
    ...(parallel === undefined ? [] : ["--parallel", String(parallel)]),
    ...policyPacks.flatMap((pack) => ["--policy-pack", resolve(pack)]),
  ];
}

/** What a process needs of the user's environment: to find Node.js, and to reuse translated TypeScript files. */
const inheritedVariables = [
  "PATH",
  "TMPDIR",
  "TEMP",
  "TMP",
  "LANG",
  "SystemRoot",
  "SystemDrive",
  "ComSpec",
  "PATHEXT",
  "WINDIR",
];

/**
 * The whole environment of a CLI that is to see the simulated cloud alone: no credentials, no proxy, no settings, and
 * no backend of the user's.
 *
 * @param home folder that takes what the CLI writes beside the project
 * @param debugProviders where the simulated providers listen, e.g. `aws:4001,eks:4002`
 */
export function cleanEnvironment(
  home: string,
  debugProviders: string,
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(inheritedVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    HOME: home,
    USERPROFILE: home,
    PULUMI_HOME: join(home, ".pulumi"),
    PULUMI_BACKEND_URL: `file://${stateFolder(home).replaceAll("\\", "/")}`,
    PULUMI_CONFIG_PASSPHRASE: "simulation",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // Without this the CLI looks for plugins on the network, although the providers are attached.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_DEBUG_PROVIDERS: debugProviders,
    // A preview prints its events one by one, as the other commands do, policy violations among them.
    PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
    NO_PROXY: "127.0.0.1,localhost",
  };
}

/** Where the state is kept. */
export function stateFolder(home: string): string {
  return join(home, "state");
}
