// Prints the section of CHANGELOG.md for a tag such as v0.2.0. Fails if the tag, package.json and the changelog differ, or if
// the section has no date.
//
//   node tools/run.mjs release-notes v0.2.0
import { readFileSync } from "node:fs";

export function main([tag = ""]: readonly string[]): void {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  try {
    process.stdout.write(releaseNotes(tag, version, readFileSync("CHANGELOG.md", "utf8")));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

/** @throws Error with what to correct */
export function releaseNotes(tag: string, version: string, changelog: string): string {
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag || "missing"}; package.json has ${version}.`);
  const [, heading, notes = ""] = changelog
    .split(/^## (.+)$/m)
    .flatMap((part, index, parts) =>
      index % 2 === 1 && part.startsWith(`${version} `) ? ["", part, parts[index + 1] ?? ""] : [],
    );
  if (heading === undefined) throw new Error(`CHANGELOG.md has no section "## ${version} - YYYY-MM-DD".`);
  if (!/ - \d{4}-\d{2}-\d{2}$/.test(heading)) {
    throw new Error(`CHANGELOG.md: replace "${heading}" with "${version} - " and the date of the release.`);
  }
  return `${notes.trim()}\n`;
}
