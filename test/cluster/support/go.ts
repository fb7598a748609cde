import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** What Go makes of a module in `test/cluster`. */
export interface Recipe {
  /** Folder of the module, and name of what it makes. */
  readonly module: string;
  /** What it makes, and how long that takes. */
  readonly notice: string;
  /** Arguments of the command that makes it. */
  readonly args: (path: string) => readonly string[];
  /** A dependency, and its folders that are copied into what the module makes: a folder. */
  readonly copies?: { readonly from: string; readonly folders: readonly string[] };
}

/** The path of a file or folder, or why there is none. */
export type Search = { readonly path: string } | { readonly why: string };

/** The version of a dependency in the go.mod of a module. Empty if it has none. */
export function requirementOf(module: string, dependency: string): string {
  const lines = readFileSync(join(moduleFolder(module), "go.mod"), "utf8").split("\n");
  const words = lines.map((line) =>
    line
      .replace(/^require /, "")
      .trim()
      .split(" "),
  );
  return words.find(([name]) => name === dependency)?.[1] ?? "";
}

function moduleFolder(module: string): string {
  return join(__dirname, "..", module);
}

/** Takes what a module makes from the user's cache, or makes it. It is made again when a file of the module changes. */
export function made({ module, notice, args, copies }: Recipe): Search {
  const path = join(cacheFolder(), `${module}-${hashOf(moduleFolder(module))}`);
  if (existsSync(path)) return { path };
  if (spawnSync("go", ["version"]).status !== 0) {
    return { why: `Go is not on the PATH, and there is no ${path}: install Go 1.26 or newer` };
  }
  process.stderr.write(`${notice} It is kept as ${path}\n`);
  mkdirSync(cacheFolder(), { recursive: true });
  const download = go(module, ["mod", "download"]);
  if (download !== undefined) return { why: `go mod download failed: ${download}\n${withoutProxy(path)}` };
  const unfinished = `${path}.${process.pid}`;
  const failure = go(module, args(unfinished)) ?? (copies && copy(module, copies, unfinished));
  if (failure !== undefined) {
    rmSync(unfinished, { recursive: true, force: true });
    return { why: `go ${args("").slice(0, 2).join(" ")} failed: ${failure}` };
  }
  renameSync(unfinished, path);
  return { path };
}

/** Runs Go in the folder of a module. Returns the end of its error output if it fails. */
function go(module: string, args: readonly string[]): string | undefined {
  const run = spawnSync("go", args, { cwd: moduleFolder(module), env: { ...process.env, CGO_ENABLED: "0" } });
  return run.status === 0 ? undefined : (run.error?.message ?? run.stderr.toString().trim().slice(-2000));
}

/** Copies files, without the rights of the module cache, in which nothing can be removed. */
function copy(module: string, { from, folders }: NonNullable<Recipe["copies"]>, to: string): string | undefined {
  const { status, stdout, stderr } = spawnSync("go", ["list", "-m", "-f", "{{.Dir}}", from], {
    cwd: moduleFolder(module),
    encoding: "utf8",
  });
  if (status !== 0) return stderr;
  for (const folder of folders) {
    mkdirSync(join(to, folder), { recursive: true });
    for (const { name } of readdirSync(join(stdout.trim(), folder), { withFileTypes: true }).filter((one) =>
      one.isFile(),
    )) {
      writeFileSync(join(to, folder, name), readFileSync(join(stdout.trim(), folder, name)));
    }
  }
  return undefined;
}

function withoutProxy(path: string): string {
  return (
    "Go needs a module proxy. Set GOPROXY to one that this machine can reach, or copy this path from a machine of the " +
    `same kind that has made it: ${path}`
  );
}

function hashOf(folder: string): string {
  const hash = createHash("sha256");
  for (const file of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, file)));
  return hash.digest("hex").slice(0, 16);
}

/** The user's folder for caches. */
export function cacheFolder(): string {
  const inHome = process.platform === "darwin" ? "Library/Caches" : ".cache";
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), inHome), "eks-gpu-lab");
}
