import { execFile, spawn } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";

/** What a package says of itself, as far as the tests look. */
export interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

export interface Finished {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** What `npm pack --json` tells of a tarball. */
export interface Tarball {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

const tooLarge = 64 * 1024 * 1024;

/** Runs a program to its end, whatever its exit status. */
export function run(command: string, args: readonly string[], cwd: string): Promise<Finished> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, maxBuffer: tooLarge }, (error, out, err) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ status, out, err });
    });
  });
}

async function succeed(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { status, out, err } = await run(command, args, cwd);
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}\n${out}\n${err}`);
  return out;
}

/** A folder for everything below, its path without links: compilers and npm compare paths. */
export async function workshop(): Promise<{ dir: string; remove: () => Promise<void> }> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "eks-gpu-lab-package-")));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

const notSource = new Set(["node_modules", "dist", "coverage", ".git"]);

/** The configuration of the user's stacks, and what the user installed and built in an example: these are no source. */
const ofUser = /\/stacks\/Pulumi\.[^/]+\.ya?ml$|\/examples\/.*\/(node_modules|build|sdks|venv)$/;

/** A copy of the repository to build in: other tests use its dist/ at the same time. */
export async function copyOfSource(dir: string): Promise<string> {
  const copy = join(dir, "source");
  const root = process.cwd();
  for (const entry of await readdir(root)) {
    if (notSource.has(entry)) continue;
    await cp(join(root, entry), join(copy, entry), { recursive: true, filter: (path) => !ofUser.test(path) });
  }
  await symlink(join(root, "node_modules"), join(copy, "node_modules"), "dir");
  return copy;
}

/** Builds what `npm pack` builds, and packs it. */
export async function packed(source: string, to: string): Promise<Tarball> {
  await succeed("npm", ["run", "prepack"], source);
  return listed(await succeed("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", to], source));
}

/** What a tarball made of the folder as it stands would hold. */
export async function wouldPack(source: string): Promise<Tarball> {
  return listed(await succeed("npm", ["pack", "--ignore-scripts", "--json", "--dry-run"], source));
}

function listed(json: string): Tarball {
  return (JSON.parse(json) as [Tarball])[0];
}

/** The exact dependencies of a project that uses the package: its tarball, its peers and TypeScript. */
export function consumerDependencies(own: Manifest, tarball: string) {
  return {
    dependencies: { "eks-gpu-lab": `file:${tarball}`, ...pinned(own, Object.keys(own.peerDependencies)) },
    devDependencies: pinned(own, ["typescript", "@types/node"]),
  };
}

/** Somebody else's project in which the tarball is installed. */
export async function projectWith(tarball: string): Promise<string> {
  const dir = join(tarball, "..", "project");
  await cp(tarball, join(dir, basename(tarball)));
  const own = JSON.parse(await readFile("package.json", "utf8")) as Manifest;
  const manifest = { name: "prod-infra", private: true, ...consumerDependencies(own, basename(tarball)) };
  const written = { "package.json": json(manifest), "package-lock.json": json(await lockOf(manifest, own)) };
  for (const [file, content] of Object.entries(written)) await writeFile(join(dir, file), content);
  await succeed("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"], dir);
  return dir;
}

function pinned({ devDependencies }: Manifest, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, devDependencies[name] as string]));
}

/** The versions of this repository's lock: npm has them in its cache, so that the registry need not be asked. */
async function lockOf(manifest: { dependencies: Record<string, string> }, own: Manifest): Promise<object> {
  const lock = JSON.parse(await readFile("package-lock.json", "utf8")) as { packages: Record<string, object> };
  const { version, bin, dependencies, peerDependencies } = own;
  const resolved = manifest.dependencies["eks-gpu-lab"];
  const installed = { version, resolved, bin, dependencies, peerDependencies };
  const packages = { ...lock.packages, "": manifest, "node_modules/eks-gpu-lab": installed };
  return { lockfileVersion: 3, requires: true, packages };
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}

/** The first line that a program prints; it is ended then. Whatever it says to standard error is the reason of a failure. */
export function firstLine(command: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let complaints = "";
    child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()));
    child.on("error", reject);
    child.on("close", (status) => reject(new Error(`no line, exit status ${status}: ${complaints}`)));
    createInterface({ input: child.stdout }).once("line", (line) => {
      child.kill();
      resolve(line);
    });
  });
}
