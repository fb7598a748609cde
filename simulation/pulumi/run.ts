import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { EngineEvent } from "@pulumi/pulumi/automation/events";
import { readEvents, type Outcome } from "./outcome";

/** Where and as whom the CLI runs. */
export interface Place {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A command that runs. */
export interface Running {
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
export function start(place: Place, args: readonly string[], onEvent?: (event: EngineEvent) => void): Running {
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
        complaints: complaints.join("\n").trim(),
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
export async function call({ command, cwd, env }: Place, args: readonly string[]): Promise<string> {
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
