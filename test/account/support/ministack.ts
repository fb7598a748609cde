import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { cacheFolder } from "../../cluster/support/go";

/**
 * ministack, a simulator of AWS that others wrote and maintain. It simulates IAM policies. Its server runs in a Python
 * environment that the user's cache keeps.
 *
 * @see https://pypi.org/project/ministack/
 */
const version = "1.5.33";

export type Ministack = { readonly endpoint: string; readonly stop: () => Promise<void> } | { readonly why: string };

/** Starts ministack's server; or says why it cannot run. */
export async function startMinistack(): Promise<Ministack> {
  const found = environment();
  if ("why" in found) return found;
  const port = await freePort();
  const env = { ...process.env, GATEWAY_PORT: String(port) };
  const server = spawn(found.python, ["-m", "ministack"], { stdio: "ignore", env, cwd: cacheFolder() });
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  const stop = async () => {
    server.kill();
    await ended;
  };
  const endpoint = `http://127.0.0.1:${port}`;
  for (const start = Date.now(); Date.now() - start < 60_000;) {
    if (server.exitCode !== null) return { why: `the server of ministack ends with ${server.exitCode}` };
    if ((await fetch(endpoint).catch(() => undefined))?.ok) return { endpoint, stop };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stop();
  return { why: "the server of ministack does not answer" };
}

function environment(): { readonly python: string } | { readonly why: string } {
  const folder = join(cacheFolder(), `ministack-${version}`);
  const pythonIn = (place: string) => join(place, "bin", "python");
  if (existsSync(folder)) return { python: pythonIn(folder) };
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(cacheFolder(), { recursive: true });
  process.stderr.write(`Installing ministack ${version} takes a minute. It is kept as ${folder}\n`);
  const pip = ["-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "15", `ministack==${version}`];
  const failure = failureOf("python3", ["-m", "venv", unfinished]) ?? failureOf(pythonIn(unfinished), pip);
  if (failure === undefined) {
    renameSync(unfinished, folder);
    return { python: pythonIn(folder) };
  }
  rmSync(unfinished, { recursive: true, force: true });
  return { why: `ministack cannot be installed: ${failure}` };
}

function failureOf(command: string, args: readonly string[]): string | undefined {
  const { status, error, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: 300_000 });
  return status === 0 ? undefined : (error?.message ?? stderr.trim().split("\n").at(-1) ?? `${command} fails`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}
