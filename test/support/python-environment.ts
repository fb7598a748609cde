import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../cluster/support/go";

/** The Python of an environment, or why there is none. */
export type Python = { readonly python: string } | { readonly why: string };

/** A Python environment with these packages, each of an exact version. The user's cache keeps it. */
export function pythonEnvironment(packages: readonly string[]): Python {
  const folder = join(cacheFolder(), packages.map((each) => each.replace(/\[\w+\]|=/g, "")).join("-"));
  if (existsSync(folder)) return { python: pythonIn(folder) };
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(cacheFolder(), { recursive: true });
  process.stderr.write(`Installing ${packages.join(", ")} takes a minute. The folder is kept: ${folder}\n`);
  const pip = ["-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "15", ...packages];
  const failure = failureOf("python3", ["-m", "venv", unfinished]) ?? failureOf(pythonIn(unfinished), pip);
  if (failure === undefined && moved(unfinished, folder)) return { python: pythonIn(folder) };
  rmSync(unfinished, { recursive: true, force: true });
  if (existsSync(folder)) return { python: pythonIn(folder) };
  return { why: `the Python packages ${packages.join(", ")} cannot be installed: ${failure}` };
}

const pythonIn = (folder: string) => join(folder, "bin", "python");

/** Whether the folder is in its place now. Another process may have been faster. */
function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

function failureOf(command: string, args: readonly string[]): string | undefined {
  const { status, error, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: 300_000 });
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split("\n").at(-1) ?? `${command} fails`);
}
