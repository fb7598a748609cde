import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { InputError } from "../../../components/core/problems";
import { programOf, translate } from "../../../planner/program/load-program";
import { folder } from "../../support/files";

async function load(files: Record<string, string>) {
  const dir = folder(files);
  const entry = join(dir, "index.ts");
  return { dir, program: programOf(await translate(entry), entry) };
}

test("a program's exports are its outputs, TypeScript or not", async () => {
  const { program } = await load({
    "index.ts": 'import { size } from "./lib/size"; export const total: number = size + 1;',
    "lib/size.ts": "export const size: number = 2;",
  });
  expect(program()).toMatchObject({ total: 3 });
});

test("a package of the workspace in TypeScript is part of the program, and others are not", async () => {
  const dir = folder({
    "app/index.ts": 'import { size } from "@acme/lib"; import { old } from "old"; export const sum = size + old;',
    "libs/lib/package.json": '{ "main": "src/index.ts" }',
    "libs/lib/src/index.ts":
      'import { one } from "./one"; enum Sizes { Two = one + 1 } export const size: number = Sizes.Two;',
    "libs/lib/src/one.ts": "export const one: number = 1;",
    "app/node_modules/old/index.js": "exports.old = 40;",
    "app/node_modules/@acme/.keep": "",
  });
  symlinkSync(join(dir, "libs/lib"), join(dir, "app/node_modules/@acme/lib"));
  const entry = join(dir, "app/index.ts");
  const code = await translate(entry);
  expect(programOf(code, entry)()).toMatchObject({ sum: 42 });
  expect(code).toContain('require("old")');
});

test.each(["./envs/dev", "./envs/dev.ts", "./envs/text", "./envs/folder", "./envs/plain"])(
  "a program may compute the path %s",
  async (path) => {
    const { program } = await load({
      "index.ts": `const name = ${JSON.stringify(path.slice("./envs/".length))}; export const { v } = require("./envs/" + name);`,
      "envs/dev.ts": "export const v: string = 'x';",
      "envs/text.json": '{ "v": "x" }',
      "envs/folder/index.ts": "export const v: string = 'x';",
      "envs/plain.js": "exports.v = 'x';",
    });
    expect(program()).toMatchObject({ v: "x" });
  },
);

test("each run has exports and state of its own, also where the program begins with #!", async () => {
  const { program } = await load({ "index.ts": "#!/usr/bin/env node\nlet runs = 0; export const count = ++runs;" });
  const [first, second] = [program(), program()];
  expect([first, second]).toMatchObject([{ count: 1 }, { count: 1 }]);
  expect(second).not.toBe(first);
});

test("an exported function is called, also an async one", async () => {
  const { program } = await load({ "index.ts": "export = async () => ({ a: 1 });" });
  expect(await program()).toEqual({ a: 1 });
});

test.each([
  { type: "module", text: "export default async () => ({ a: 1 });", result: { a: 1 } },
  { type: "module", text: "export default { a: 1 };", result: { a: 1 } },
  { type: "module", text: "export default () => 1; export const a = 1;", result: { a: 1 } },
  { type: "commonjs", text: "export default { a: 1 };", result: { default: { a: 1 } } },
])("the default export of $type: $text", async ({ type, text, result }) => {
  const { program } = await load({ "package.json": JSON.stringify({ type }), "index.ts": text });
  expect(await program()).toMatchObject(result);
});

test("a default function that Pulumi does not call is refused", async () => {
  const { program } = await load({ "package.json": "{}", "index.ts": "export default async () => ({ a: 1 });" });
  expect(program).toThrow("Pulumi does not call the default export of a CommonJS module");
});

test.each<{ files: Record<string, string>; value: number | undefined }>([
  { files: {}, value: 1 },
  { files: { "tsconfig.json": '{ "compilerOptions": { "target": "ES2022" } }' }, value: undefined },
])("a declared field has the value of TypeScript's settings: $value", async ({ files, value }) => {
  const base = "class Base { constructor() { Object.assign(this, { v: 1 }); } }";
  const text = `${base} class Child extends Base { readonly v!: number; } export const v = new Child().v;`;
  const { program } = await load({ "index.ts": text, ...files });
  expect(program()).toMatchObject({ v: value });
});

test("each run evaluates the program afresh", async () => {
  const { program } = await load({
    "index.ts": "const g = globalThis as { runs?: number }; g.runs = (g.runs ?? 0) + 1; export const runs = g.runs;",
  });
  expect([program(), program()]).toMatchObject([{ runs: 1 }, { runs: 2 }]);
});

test("__dirname is each file's own folder", async () => {
  const { dir, program } = await load({
    "index.ts": 'import { here } from "./deep/here"; export const dirs = [__dirname, here];',
    "deep/here.ts": "export const here: string = __dirname;",
  });
  expect(program()).toMatchObject({ dirs: [dir, join(dir, "deep")] });
});

test("npm packages are loaded from the project's own node_modules", async () => {
  const { program } = await load({
    "index.ts": 'import { who } from "friend"; export const met = who;',
    "node_modules/friend/package.json": '{"name":"friend","main":"i.js"}',
    "node_modules/friend/i.js": 'exports.who = "a friend";',
  });
  expect(program()).toMatchObject({ met: "a friend" });
});

test("every error of the program is reported with file, line and source", async () => {
  const files = { "index.ts": 'import "./gone"; import "./bad";', "bad.ts": "const = 1;" };
  const error = await load(files).catch((thrown: unknown) => thrown);
  const { problems } = error as InputError;
  expect(problems.map(({ path, got, why }) => [path.replace(/.*\//, ""), got, why]).sort()).toEqual([
    ["bad.ts:1:7", "const = 1;", 'Expected identifier but found "=".'],
    ["index.ts:1:8", 'import "./gone"; import "./bad";', 'Could not resolve "./gone".'],
  ]);
});
