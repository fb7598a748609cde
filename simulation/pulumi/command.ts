import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { EngineEvent } from "@pulumi/pulumi/automation/events";
import { parseJson } from "../../components/core/json-text";
import { type Outcome, readEvents } from "./outcome";

/** How the CLI runs: executable, working directory, environment. */
export interface CliContext {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A running command. */
export interface RunningCommand {
  /** Resolves when the process has ended, whatever its status. */
  readonly outcome: Promise<Outcome>;
  /** Sends a signal to the process. */
  kill(signal: NodeJS.Signals): void;
}

/**
 * Starts a command that prints the engine's events.
 *
 * @param onEvent receives each event
 */
export function startCommand(
  context: CliContext,
  args: readonly string[],
  onEvent?: (event: EngineEvent) => void,
): RunningCommand {
  const from = performance.now();
  const child = spawn(context.command, args, {
    cwd: context.cwd,
    env: context.env,
    stdio: ["ignore", "pipe", "pipe"],
    // In its own process group, so that Ctrl-C reaches it only once, through `kill`: a second signal makes Pulumi abort.
    detached: true,
  });
  const events: EngineEvent[] = [];
  const unparsed: string[] = [];
  createInterface(child.stdout).on("line", (line) => {
    const event = parse(line);
    if (event) {
      events.push(event);
      onEvent?.(event);
    } else unparsed.push(line);
  });
  createInterface(child.stderr).on("line", (line) => unparsed.push(line));
  const outcome = new Promise<Outcome>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      resolve({
        status: code ?? undefined,
        ...readEvents(events),
        seconds: (performance.now() - from) / 1000,
        cliOutput: unparsed.join("\n").trim(),
      }),
    );
  });
  return { outcome, kill: (signal) => void child.kill(signal) };
}

/**
 * Runs a command that prints no events.
 *
 * @returns its standard output
 * @throws Error with its error output
 */
export async function runCommand({ command, cwd, env }: CliContext, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd, env, maxBuffer: 256 * 1024 * 1024 });
  return stdout;
}

function parse(line: string): EngineEvent | undefined {
  return line.startsWith('{"sequence":') ? (parseJson(line) as EngineEvent | undefined) : undefined;
}

/** Variables of the user's environment that a process needs, e.g. to find Node.js and its compile cache. */
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
 * The environment of a CLI that can reach only the simulated cloud: without the user's credentials, proxy, settings and
 * backend.
 *
 * @param home folder for the files that the CLI writes outside of the project
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
    // Otherwise, the CLI looks for plugins on the network even though the providers are attached.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_DEBUG_PROVIDERS: debugProviders,
    // A preview prints a stream of events, as the other commands do.
    PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
    NO_PROXY: "127.0.0.1,localhost",
    AWS_EC2_METADATA_DISABLED: "true",
  };
}

/** The folder of the state. */
export function stateFolder(home: string): string {
  return join(home, "state");
}
