// Shows which versions of vLLM and PyTorch have the texts that conclusions of triage are known by. Downloads their wheels
// with pip, several GB in all, and keeps only the sources. Ends with 1 if a pattern matches no version.
//
//   npm run patterns             in node_modules/.cache/patterns
//   npm run patterns -- FOLDER   in another folder
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { patternReport, textsOf, type Release } from "./patterns/texts";

const versions = {
  vLLM: ["vllm", ["0.6.6", "0.8.5", "0.11.0", "0.19.1", "0.33.0"]],
  PyTorch: ["torch", ["2.4.1", "2.15.0"]],
} as const;

const defaultFolder = join("node_modules", ".cache", "patterns");

export function main(args: readonly string[]): void {
  const [folder = defaultFolder, ...more] = args;
  try {
    if (more.length > 0) throw new Error(`patterns: got ${more.join(" ")}. Pass at most one folder.`);
    const { text, isComplete } = patternReport(releasesIn(folder));
    process.stdout.write(text);
    if (!isComplete) process.exitCode = 1;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}

function releasesIn(folder: string): Release[] {
  return Object.entries(versions).flatMap(([program, [name, numbers]]) =>
    numbers.map((version) => ({ program, version, texts: textsIn(sourcesOf(folder, name, version)) })),
  );
}

/** The folder with the sources of a version. It is complete, or does not exist. */
function sourcesOf(folder: string, name: string, version: string): string {
  const sources = join(folder, `${name}-${version}`);
  if (existsSync(sources)) return sources;
  const partial = `${sources}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  process.stderr.write(`download ${name} ${version}\n`);
  const options = ["--no-deps", "--only-binary=:all:", "--python-version=3.11", "--no-cache-dir", "--quiet"];
  python(["-m", "pip", "download", ...options, `--dest=${partial}`, `${name}==${version}`], `${name} ${version}`);
  const wheel = readdirSync(partial).find((file) => file.endsWith(".whl"));
  if (wheel === undefined) throw new Error(`${name} ${version}: pip downloaded no wheel. Check the version.`);
  python([join(__dirname, "patterns", "unpack.py"), join(partial, wheel), partial], wheel);
  rmSync(join(partial, wheel));
  renameSync(partial, sources);
  return sources;
}

function python(args: readonly string[], what: string): void {
  try {
    execFileSync("python3", args, { stdio: ["ignore", "inherit", "pipe"], encoding: "utf8" });
  } catch (error) {
    throw new Error(failureText(error, what), { cause: error });
  }
}

/** What is wrong when pip fails, and what to do. */
export function failureText(error: unknown, what: string): string {
  const { code, stderr = "" } = error as { readonly code?: string; readonly stderr?: string };
  if (code === "ENOENT") return `${what}: python3 is not installed. Install Python 3 with pip.`;
  if (/No module named pip/.test(stderr))
    return `${what}: Python has no pip. Install it, such as python3-pip of Debian.`;
  if (/(?:NewConnectionError|ConnectTimeout|ReadTimeout|Failed to resolve|Network is unreachable)/.test(stderr)) {
    return `${what}: the package index cannot be reached. Check the network, the proxy and the configuration of pip.`;
  }
  return `${what}: ${stderr.trim().split("\n").at(-1) ?? "python3 failed"}`;
}

/** The texts of the sources in a folder, and the lines of the libraries' texts. */
function textsIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.flatMap((file) => {
    if (!/\.(?:py|txt)$/.test(file)) return [];
    const content = readFileSync(join(folder, file), "utf8");
    return file.endsWith(".py") ? textsOf(content) : content.split("\n");
  });
}
