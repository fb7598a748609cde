import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as library from "../../components";

const index = readFileSync("components/index.ts", "utf8");

/** Every component there is, whether the index knows it or not. */
const components = readdirSync("components", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) => [
    ...readFileSync(`components/${file}`, "utf8").matchAll(/^export class (\w+) .*ComponentResource/gm),
  ])
  .map(([, name]) => String(name))
  .sort();

test("the search finds components", () => {
  expect(components).toEqual(expect.arrayContaining(["EksCluster", "GpuEnvironment", "GpuNodeGroup", "Vpc"]));
});

test.for(components)("%s is public, with its arguments and its check", (name) => {
  const check = `${name.charAt(0).toLowerCase()}${name.slice(1)}Problems`;
  expect(library).toHaveProperty(name);
  expect(library).toHaveProperty(check);
  expect(index).toMatch(new RegExp(`\\b${name}Args\\b`));
});

test("the index holds re-exports alone, each from inside the library", () => {
  const statements = index.replace(/\/\*\*[^]*?\*\/|\/\/.*$/gm, "").split(";");
  const reExport = /^\s*(export (type )?(\{[^}]*\}|\* as \w+) from "\.\/[\w/-]+")?\s*$/;
  expect(statements.filter((statement) => !reExport.test(statement))).toEqual([]);
});
