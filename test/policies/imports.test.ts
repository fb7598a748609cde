import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const files = readdirSync("policies", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

/** The modules of `policies` that a file imports, by path in `policies`. */
function importsOf(file: string): string[] {
  const source = readFileSync(join("policies", file), "utf8");
  const paths = [...source.matchAll(/from "(\.[^"]+)"/g)].map(([, path = ""]) => path);
  return paths.map((path) => relative("policies", join("policies", dirname(file), path)));
}

const importing = (folder: string, other: RegExp) =>
  files.filter((file) => file.startsWith(folder) && importsOf(file).some((path) => other.test(path)));

test("the folders hold modules", () => {
  for (const folder of ["engine/", "facts/", "rules/"]) {
    expect(files.filter((file) => file.startsWith(folder)).length).toBeGreaterThan(5);
  }
});

test("facts import no rule, and a rule imports no other rule", () => {
  expect([
    ...importing("facts/", /^(rules|packs)\//),
    ...importing("rules/", /^(rules(?!\/example-parts$)|packs)\//),
  ]).toEqual([]);
});

test("the engine imports neither facts nor rules", () => {
  expect(importing("engine/", /^(facts|rules|packs)\//)).toEqual([]);
});
