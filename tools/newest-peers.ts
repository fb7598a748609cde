// Installs the newest version of each peer dependency within its range; package.json stays as it is. Prints the installed
// versions, and ends with 1 if one is not the newest: npm keeps an installed version that is within the range.
//
//   node tools/run.mjs newest-peers
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import semver from "semver";

type Versions = Readonly<Record<string, string>>;

export function main(): void {
  const { peerDependencies } = readJson("package.json") as { peerDependencies: Versions };
  const newest = newestVersions(peerDependencies, published);
  const install = Object.entries(newest).map(([name, version]) => `${name}@${version}`);
  npm(["install", "--no-save", "--no-audit", "--no-fund", ...install]);
  const problems = Object.entries(newest).flatMap(([name, version]) => {
    const installed = (readJson(`node_modules/${name}/package.json`) as { version: string }).version;
    process.stdout.write(`${name} ${installed}\n`);
    // The package.json of @pulumi/policy has a "v" before its version.
    return semver.eq(installed, version)
      ? []
      : [`${name}: got ${installed}. The newest version in the range is ${version}.\n`];
  });
  process.stderr.write(problems.join(""));
  if (problems.length > 0) process.exitCode = 1;
}

/**
 * @param versionsOf what `npm view` prints for a range: a version, or several in any order
 * @throws Error if a range has no version
 */
export function newestVersions(
  ranges: Versions,
  versionsOf: (name: string, range: string) => string | string[],
): Versions {
  const newest = Object.entries(ranges).map(([name, range]) => {
    const version = semver.maxSatisfying([versionsOf(name, range)].flat(), range);
    if (version === null) throw new Error(`${name}: got no version. The range is ${range}.`);
    return [name, version];
  });
  return Object.fromEntries(newest) as Versions;
}

function published(name: string, range: string): string | string[] {
  return JSON.parse(npm(["view", `${name}@${range}`, "version", "--json"]) || "[]") as string | string[];
}

function npm(args: readonly string[]): string {
  return execFileSync("npm", args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
