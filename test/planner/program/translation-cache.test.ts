import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import esbuild from "esbuild";
import { expect, test, vi } from "vitest";
import { cacheFolder } from "../../../planner/program/translation-cache";
import { programOf } from "../../../planner/program/load-program";
import { cachedTranslation } from "../../../planner/program/translation-cache";
import { folder } from "../../support/files";

const program = {
  "index.ts": 'import { size } from "./lib/size"; export const total = size;',
  "lib/size.ts": "export const size: number = 2;",
};
const programWithIndex = {
  "index.ts": 'import { size } from "./lib"; export const total = size;',
  "lib/index.ts": "export const size = 2;",
};
const programWithClass = {
  "index.ts":
    "class Base { size = 1 } class Sub extends Base { declare x: number; size!: number } export const total = new Sub().size;",
};

/** Loads a program through a cache. */
function loaderOf(files: Record<string, string>, cache = folder({}), dir = folder(files)) {
  const entry = join(dir, "index.ts");
  const total = async () => (programOf(await cachedTranslation(entry, cache), entry)() as { total: unknown }).total;
  return { dir, cache, entry, total };
}

type Loader = ReturnType<typeof loaderOf>;

/** A module with the cache, for a process of its own. */
async function bundled(): Promise<string> {
  const contents = `
    export { cachedTranslation } from "./planner/program/translation-cache";
    export { programOf } from "./planner/program/load-program";`;
  const script = join(folder({}), "cache.cjs");
  await esbuild.build({
    stdin: { contents, resolveDir: process.cwd() },
    ...{ bundle: true, platform: "node", format: "cjs", packages: "external", outfile: script },
  });
  symlinkSync(join(process.cwd(), "node_modules"), join(script, "../node_modules"));
  return script;
}

/** What the program exports in a process of its own. */
async function inProcess({ entry, cache }: Loader, script: string): Promise<string> {
  const [from, path, folder] = [script, entry, cache].map((text) => JSON.stringify(text));
  const code = `const { cachedTranslation, programOf } = require(${from});
    cachedTranslation(${path}, ${folder}).then((code) => console.log(programOf(code, ${path})().total));`;
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk) => (text += String(chunk)));
  await once(child, "close");
  return text.trim();
}

/** Loads the program until the cache has it: what changed within the last moments is not kept. */
async function keep({ cache, total }: Loader): Promise<string> {
  await vi.waitFor(async () => {
    await total();
    expect(readdirSync(cache)).toHaveLength(1);
  }, 10_000);
  return join(cache, readdirSync(cache)[0] as string);
}

/** Replaces the code in the cache by other valid code, which shows where a result is from. */
function mark(file: string): void {
  const [, head] = readFileSync(file, "utf8").split("\n");
  const content = `${head}\nexports.total = "from the cache";`;
  writeFileSync(file, `${createHash("sha256").update(content).digest("hex")}\n${content}`);
}

test("an unchanged program is not translated again", async () => {
  const loader = loaderOf(program);
  mark(await keep(loader));
  expect(await loader.total()).toBe("from the cache");
});

test("another version of esbuild or of the cache translates anew", async () => {
  const [, head = ""] = readFileSync(await keep(loaderOf(program)), "utf8").split("\n");
  const { sources } = JSON.parse(head) as { sources: { files: string[] } };
  const tool = ["planner/program/translation-cache.ts", "node_modules/esbuild/package.json"];
  expect(sources.files).toEqual(expect.arrayContaining(tool.map((file) => join(process.cwd(), file))));
});

test("another program has another entry", async () => {
  const loader = loaderOf(program);
  mark(await keep(loader));
  expect(await loaderOf(program, loader.cache).total()).toBe(2);
});

const config = (options: object) => JSON.stringify({ compilerOptions: options });
const put = (path: string, text: string) => (dir: string) => writeFileSync(join(dir, path), text);
const changes: [name: string, files: Record<string, string>, change: (dir: string) => void, total: unknown][] = [
  ["an imported file", program, put("lib/size.ts", "export const size: number = 7;"), 7],
  ["a new file that comes first", program, put("lib/size.tsx", "export const size = 4;"), 4],
  ["a new file in place of an index", programWithIndex, put("lib.ts", "export const size = 6;"), 6],
  [
    "the main file of a folder",
    { ...programWithIndex, "lib/other.ts": "export const size = 3;" },
    put("lib/package.json", '{"main":"other.ts"}'),
    3,
  ],
  [
    "data",
    { "index.ts": 'import data from "./data.json"; export const total = data.size;', "data.json": '{"size":1}' },
    put("data.json", '{"size":5}'),
    5,
  ],
  [
    "tsconfig.json",
    { ...programWithClass, "tsconfig.json": config({ useDefineForClassFields: false }) },
    put("tsconfig.json", config({ useDefineForClassFields: true })),
    undefined,
  ],
  [
    "a tsconfig.json that another one extends",
    {
      ...programWithClass,
      "tsconfig.json": '{ "extends": "./base/some" }',
      "base/some.json": config({ useDefineForClassFields: false }),
    },
    put("base/some.json", config({ useDefineForClassFields: true })),
    undefined,
  ],
];

test.each(changes)("a change of %s takes effect", async (_name, files, change, total) => {
  const loader = loaderOf(files);
  const before = await loader.total();
  await keep(loader);
  change(loader.dir);
  expect([before === total, await loader.total()]).toEqual([false, total]);
});

test("another target of a link takes effect", async () => {
  const dir = folder({
    "index.ts": 'import { size } from "./now/size"; export const total = size;',
    "old/size.ts": "export const size = 1;",
    "new/size.ts": "export const size = 2;",
  });
  symlinkSync("old", join(dir, "now"));
  const loader = loaderOf({}, folder({}), dir);
  await keep(loader);
  unlinkSync(join(dir, "now"));
  symlinkSync("new", join(dir, "now"));
  expect(await loader.total()).toBe(2);
});

test("an installed package is read in each run", async () => {
  const loader = loaderOf({
    "index.ts": 'import { who } from "friend"; export const total = who;',
    "node_modules/friend/package.json": '{"name":"friend","version":"1.0.0","main":"one.js"}',
    "node_modules/friend/one.js": "exports.who = 1;",
    "node_modules/friend/two.js": "exports.who = 2;",
  });
  await keep(loader);
  const script = await bundled();
  expect(await inProcess(loader, script)).toBe("1");
  put("node_modules/friend/package.json", '{"name":"friend","version":"2.0.0","main":"two.js"}')(loader.dir);
  expect(await inProcess(loader, script)).toBe("2");
});

test.each([
  ["empty", () => ""],
  ["cut off", (text: string) => text.slice(0, -5)],
  ["changed", (text: string) => text.replace("size = 2", "size = 8")],
])("an entry that is %s is not used", async (_name, damage) => {
  const loader = loaderOf(program);
  const file = await keep(loader);
  writeFileSync(file, damage(readFileSync(file, "utf8")));
  expect(await loader.total()).toBe(2);
});

test.each([
  ["maps paths", config({ paths: { "@lib/*": ["./lib/*"] } }), "@lib/size"],
  ["is extended from a package", '{ "extends": "some-package/tsconfig.json" }', "./lib/size"],
])("a program whose tsconfig.json %s is translated each time", async (_name, tsconfig, path) => {
  const files = { "index.ts": `import { size } from "${path}"; export const total = size;`, "tsconfig.json": tsconfig };
  const loader = loaderOf({ ...program, ...files });
  const late = loaderOf(program, loader.cache);
  await loader.total();
  await keep(late);
  await loader.total();
  expect(readdirSync(loader.cache)).toHaveLength(1);
});

test("a cache that cannot be written, or is none, changes nothing", async () => {
  const file = join(folder({ file: "" }), "file");
  expect(await loaderOf(program, file).total()).toBe(2);
  expect(await loaderOf(program, join(file, "missing")).total()).toBe(2);
});

test("processes that write at once leave one whole entry", async () => {
  const loader = loaderOf(program);
  unlinkSync(await keep(loader));
  const script = await bundled();
  const all = [1, 2, 3].map(() => inProcess(loader, script));
  expect(await Promise.all(all)).toEqual(["2", "2", "2"]);
  expect(readdirSync(loader.cache)).toHaveLength(1);
  expect(await loader.total()).toBe(2);
});

test("the cache is a folder that only its user can write to", () => {
  const NODE_COMPILE_CACHE = join(folder({}), "deep");
  const found = cacheFolder({ NODE_COMPILE_CACHE }) as string;
  expect(found.startsWith(NODE_COMPILE_CACHE)).toBe(true);
  expect(statSync(found).mode & 0o777).toBe(0o700);
  chmodSync(found, 0o777);
  expect(cacheFolder({ NODE_COMPILE_CACHE })).toBeUndefined();
});

test("a link in place of the cache, and a place that cannot be written, are not used", () => {
  const dir = folder({ file: "" });
  const name = (cacheFolder({ NODE_COMPILE_CACHE: folder({}) }) as string).split("/").at(-1) as string;
  mkdirSync(join(dir, "elsewhere"), { mode: 0o700 });
  symlinkSync("elsewhere", join(dir, name));
  expect(cacheFolder({ NODE_COMPILE_CACHE: dir })).toBeUndefined();
  expect(cacheFolder({ NODE_COMPILE_CACHE: join(dir, "file") })).toBeUndefined();
});

test("NODE_DISABLE_COMPILE_CACHE turns the cache off", () => {
  expect(cacheFolder({ NODE_DISABLE_COMPILE_CACHE: "1", NODE_COMPILE_CACHE: folder({}) })).toBeUndefined();
});
