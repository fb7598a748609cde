import { readdirSync, readFileSync } from "node:fs";
import { matches } from "../../policies/engine/glob";
import { attempt } from "../program/attempt";

/** Whether the name of a file has a scheme, such as `https:`. */
export function isUrl(file: string): boolean {
  return /^[a-z][a-z+.-]*:\/\//i.test(file);
}

/** The text of a file; undefined if it cannot be read. */
export function readText(file: string): string | undefined {
  return attempt(() => readFileSync(file, "utf8"));
}

/** The files that a pattern of the Go function `filepath.Glob` matches, in alphabetical order: `*` and `?` match no slash. */
export function matchingFiles(pattern: string): readonly string[] {
  return pattern
    .split("/")
    .reduce<readonly string[]>((paths, part) => paths.flatMap((path) => entries(path, part)), [""])
    .map((path) => path.slice(1));
}

/** Each path starts with a slash more than it has. */
function entries(path: string, part: string): readonly string[] {
  if (!/[*?[]/.test(part)) return [`${path}/${part}`];
  const class_ = /\[[^\]]+\]/.test(part) ? classPattern(part) : undefined;
  const isMatch = (name: string) => class_?.test(name) ?? matches(name, part);
  return namesIn(path === "" ? "." : path.slice(1) || "/")
    .filter((name) => isMatch(name))
    .map((name) => `${path}/${name}`);
}

function classPattern(part: string): RegExp {
  const escaped = part.replace(/[.+^${}()|\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`);
}

function namesIn(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder).sort()) ?? [];
}
