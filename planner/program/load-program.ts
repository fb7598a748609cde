import Module from "node:module";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildFailure, Metafile, Plugin } from "esbuild";
import { InputError } from "../../components/core/problems";
import { isRecord } from "../../components/core/reader/records";
import { attempt } from "./attempt";
import { findUp, packageOf } from "./project";

/** A program that is ready to run. A run registers its resources and returns its stack outputs. */
export type Program = () => unknown;

interface TranslateOptions {
  /** What the module is, for errors. @default "the program" */
  readonly subject?: string;
  readonly plugins?: readonly Plugin[];
}

/**
 * Translates a program and the files of its project into one module, without type checking. npm packages stay external.
 * One bundle is faster than one file at a time, and esbuild runs in a separate process.
 *
 * @throws InputError with every syntax error and every import of a missing file.
 */
export async function translate(entry: string, options?: TranslateOptions): Promise<string> {
  return (await translation(entry, options)).code;
}

/**
 * {@link translate}, and the files that the code was made from.
 *
 * @throws InputError as translate
 */
export async function translation(
  entry: string,
  { subject = "the program", plugins = [] }: TranslateOptions = {},
): Promise<{ readonly code: string; readonly metafile: Metafile }> {
  const esbuild = await import("esbuild");
  const build = esbuild.build({
    entryPoints: [entry],
    outfile: `${entry}.plan.js`, // Not written: the source map names the files relative to it.
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "cjs",
    packages: "external",
    sourcemap: "inline",
    sourcesContent: false,
    define: { "import.meta.url": "__url", "import.meta.dirname": "__dirname", "import.meta.filename": "__filename" },
    metafile: true,
    logLevel: "silent",
    ...(findUp(dirname(entry), "tsconfig.json") === undefined && { tsconfigRaw: pulumiSettings }),
    plugins: [includeSources, keepFileNames, ...plugins],
  });
  const result = await build.catch((error: unknown) => {
    throw isBuildFailure(error) ? asInputError(error, subject) : error;
  });
  const code = result.outputFiles[0]?.text ?? "";
  return { code: code.replace(exactPath, anyEnding), metafile: result.metafile };
}

/** How the translated code finds the module of a path that the program computes, and how Node.js does: the ending is optional. */
const exactPath = "var fn = map[path];";
const endings = ["", ".ts", ".js", ".json", "/index.ts", "/index.js"];
const anyEnding = `var fn = ${JSON.stringify(endings)}.map((ending) => map[path + ending]).find(Boolean);`;

/** Without a tsconfig.json, Pulumi's settings: a field that a class only declares keeps the value of its base class. */
const pulumiSettings = { compilerOptions: { useDefineForClassFields: false } };

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && Array.isArray((error as Partial<BuildFailure>).errors);
}

function asInputError({ errors }: BuildFailure, subject: string): InputError {
  const problems = errors.map(({ text, location }) => ({
    code: "not-allowed" as const,
    path: location ? `${location.file}:${location.line}:${location.column + 1}` : subject,
    got: location?.lineText.trim() || "the end of the file",
    ...(text.startsWith("Top-level await") ? topLevelAwait : wrongSource(text)),
  }));
  return new InputError(subject, problems);
}

const topLevelAwait = {
  why: "The plan runs the program as a CommonJS module, which cannot await at the top level.",
  fix: "export an async function that contains the awaits: export = async () => { … }, or in an ES module export default async () => { … }",
};

function wrongSource(text: string) {
  return { why: `${text}.`, fix: "correct the program; run `tsc` for details" };
}

/** Translated code, with its source map inline, by the name of the file that it runs as. */
export const translations = new Map<string, string>();

/**
 * A program from translated code. Each run evaluates the code again, so that one process can plan several stacks.
 *
 * @param entry path of the program, from which it resolves packages
 */
export function programOf(code: string, entry: string): Program {
  return () => {
    const exported = exportOf(evaluated(code, entry), entry);
    return typeof exported === "function" ? (exported as () => unknown)() : exported;
  };
}

type Evaluate = (this: unknown, exports: unknown, module: Module) => void;

/** Compiled translations, by the same name. */
const evaluators = new Map<string, Evaluate>();

/** Runs translated code as the module of a path, which is compiled once. @returns its exports */
export function evaluated(code: string, entry: string): unknown {
  const file = `${entry}.plan.js`;
  const known = translations.get(file) === code ? evaluators.get(file) : undefined;
  translations.set(file, code);
  const evaluate = known ?? compiled(code, entry, file);
  evaluators.set(file, evaluate);
  const module = moduleOf(entry);
  evaluate.call(module.exports, module.exports, module);
  return module.exports;
}

function compiled(code: string, entry: string, file: string): Evaluate {
  const around = moduleOf(entry);
  // A function may not begin with `#!`. The lines stay those of the source map.
  around._compile(`module.exports = function (exports, module) {${code.replace(/^#!/, "//")}\n};`, file);
  return around.exports as Evaluate;
}

function moduleOf(entry: string) {
  const module = new Module(entry) as Module & { _compile(code: string, filename: string): void };
  module.filename = entry;
  module.paths = (Module as unknown as { _nodeModulePaths(dir: string): string[] })._nodeModulePaths(dirname(entry));
  return module;
}

/** As for Pulumi, the only export of an ES module can be the default one. Pulumi does not call that of a CommonJS module. */
function exportOf(exported: unknown, entry: string): unknown {
  if (!isRecord(exported) || Object.keys(exported).join() !== "default") return exported;
  const settings = findUp(dirname(entry), "package.json");
  if (settings !== undefined && packageOf(dirname(settings)).text("type").value === "module")
    return exported["default"];
  if (typeof exported["default"] !== "function") return exported;
  const why = "Pulumi does not call the default export of a CommonJS module, so the module creates nothing.";
  const fix = "write export = async () => { … }";
  throw new InputError("the program", [{ code: "not-allowed", path: "export default", got: "a function", why, fix }]);
}

/** Translates packages of the workspace whose module is TypeScript, as for Pulumi: they are links to folders of the repository. */
const includeSources: Plugin = {
  name: "include-sources",
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      if (importer === "" || kind === "entry-point" || Module.isBuiltin(path)) return undefined;
      const file = attempt(() => Module.createRequire(importer).resolve(path)) ?? "";
      return /\.[cm]?tsx?$/.test(file) && !/[\\/]node_modules[\\/]/.test(file) ? { path: file } : undefined;
    });
  },
};

/** Keeps `__dirname` and `import.meta` those of each source file; in a bundle they would be those of the entry, or nothing. */
const keepFileNames: Plugin = {
  name: "keep-file-names",
  setup(build) {
    build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      if (!/\b__(dirname|filename)\b|\bimport\.meta\b/.test(source)) return undefined;
      const values = { __filename: path, __dirname: dirname(path), __url: pathToFileURL(path).href };
      const names = Object.entries(values)
        .map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`)
        .join(" ");
      return { contents: `${names} ${source}`, loader: /x$/.test(path) ? "tsx" : "ts" };
    });
  },
};
