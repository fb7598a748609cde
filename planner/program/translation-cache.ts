import { createHash, type Hash } from "node:crypto";
import {
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  lstatSync,
  mkdirSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Metafile } from "esbuild";
import { attempt } from "./attempt";
import { translation } from "./load-program";

/** What a translation was made from. If none of it has changed, esbuild would make the same translation. */
interface Sources {
  /** Translated files and files with settings, some of which do not exist. */
  readonly files: readonly string[];
  /** Folders in which an import was looked up. A new file there can be found in place of another one. */
  readonly folders: readonly string[];
}

interface Entry {
  readonly sources: Sources;
  readonly fingerprint: string;
}

/**
 * Translates a program, or returns the translation of an earlier run if nothing that it was made from has changed. A
 * cache that cannot be read or written only takes time.
 *
 * @param folder of the cache; undefined for none
 * @throws InputError as {@link translation}
 */
export async function cachedTranslation(entry: string, folder = cacheFolder()): Promise<string> {
  if (folder === undefined) return (await translation(entry)).code;
  const file = join(folder, `${digest(`${entry}\n${__filename}`).slice(0, 32)}.program`);
  const kept = attempt(() => readEntry(readFileSync(file, "utf8")));
  if (kept !== undefined) return kept;
  const start = Date.now();
  const { code, metafile } = await translation(entry);
  attempt(() => {
    const sources = sourcesOf(metafile);
    if (sources && newestChange(sources) < start - clockStepMs) writeEntry(file, sources, code);
  });
  return code;
}

/** A file system may date a change up to two ticks of a slow clock back. */
const clockStepMs = 100;

function writeEntry(file: string, sources: Sources, code: string): void {
  const entry: Entry = { sources, fingerprint: fingerprint(sources) };
  const content = `${JSON.stringify(entry)}\n${code}`;
  const partial = `${file}.${process.pid}`;
  try {
    writeFileSync(partial, `${digest(content)}\n${content}`, { mode: 0o600 });
    renameSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** The code of an entry. Undefined if the file is damaged, or if a source has changed. */
function readEntry(text: string): string | undefined {
  const [sum, content] = split(text);
  if (digest(content) !== sum) return undefined;
  const [head, code] = split(content);
  const { sources, fingerprint: former } = JSON.parse(head) as Entry;
  return fingerprint(sources) === former ? code : undefined;
}

function split(text: string): [line: string, rest: string] {
  const end = text.indexOf("\n");
  return [text.slice(0, end), text.slice(end + 1)];
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function fingerprint({ files, folders }: Sources): string {
  const hash = createHash("sha256");
  for (const file of files) update(hash, file, attempt(() => readFileSync(file)) ?? "absent");
  for (const folder of folders) {
    const entries = readdirSync(folder, { withFileTypes: true });
    const names = entries.map((entry) => `${entry.name}${entry.isDirectory() ? "/" : ""}`).sort();
    update(hash, `${folder} is ${realpathSync(folder)}`, names.join("\n"));
  }
  return hash.digest("hex");
}

function update(hash: Hash, name: string, content: string | Buffer): void {
  hash.update(`${name}\n${content.length}\n`).update(content);
}

/** When the newest change was made, in ms. A change during the translation may be missing in it. */
function newestChange({ files, folders }: Sources): number {
  const changes = [...files, ...folders].map((path) => statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0);
  return Math.max(...changes);
}

/** Settings that esbuild looks for in the folder of each file and above it. */
const settings = ["tsconfig.json", "jsconfig.json", "package.json"];

/** Undefined where a translation depends on more, such as path mappings. */
function sourcesOf({ inputs }: Metafile): Sources | undefined {
  const imports = Object.entries(inputs).flatMap(([path, input]) =>
    input.imports
      .filter(({ external }) => !external)
      .map(({ original = "" }) => ({ folder: dirname(resolve(path)), original })),
  );
  if (!imports.every(({ original }) => isFilePath(original))) return undefined;
  const targets = imports.map(({ folder, original }) => resolve(folder, original));
  const folders = [...targets.map(dirname), ...targets.filter(isFolder)];
  const files = Object.keys(inputs).map((path) => resolve(path));
  const above = unique([...folders, ...files.map(dirname)].flatMap(withFoldersAbove));
  const found = above.flatMap((folder) => settings.map((name) => join(folder, name)));
  const configs = unique(found.flatMap(withExtended));
  if (configs.some(hasMore)) return undefined;
  return { files: unique([...files, ...configs, ...tool()]), folders: unique(folders) };
}

/** The code that translates: the module or bundle of this function, and esbuild. */
function tool(): string[] {
  return [__filename, createRequire(__filename).resolve("esbuild/package.json")];
}

/** A pattern such as `./labs/*` also finds files that are added deeper. */
function isFilePath(text: string): boolean {
  return /^\.{0,2}(?:\/|$)/.test(text) && text !== "" && !text.includes("*");
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort();
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function withFoldersAbove(folder: string): string[] {
  return folder === dirname(folder) ? [folder] : [folder, ...withFoldersAbove(dirname(folder))];
}

/** A tsconfig.json and those that it extends. */
function withExtended(file: string): string[] {
  const [, target] = /"extends"\s*:\s*"(\.[^"]*)"/.exec(textOf(file)) ?? [];
  if (target === undefined) return [file];
  const path = resolve(dirname(file), target);
  return [file, ...(path === file ? [] : withExtended(path)), `${path}.json`];
}

/** Whether a tsconfig.json maps paths, or extends one that is not named by a path. */
function hasMore(file: string): boolean {
  const text = textOf(file);
  return basename(file) !== "package.json" && /"(?:paths|baseUrl|rootDirs)"|"extends"\s*:(?!\s*"\.)/.test(text);
}

function textOf(file: string): string {
  return attempt(() => readFileSync(file, "utf8")) ?? "";
}

/**
 * The folder for results that a later run can use again: in NODE_COMPILE_CACHE, or else in the temporary folder of the
 * system. Its files contain code, so only a folder that no other user can write to is used.
 *
 * @returns undefined with NODE_DISABLE_COMPILE_CACHE, or without such a folder
 */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env["NODE_DISABLE_COMPILE_CACHE"]) return undefined;
  const user = process.getuid?.();
  const folder = join(env["NODE_COMPILE_CACHE"] || tmpdir(), `eks-gpu-lab-cache-${user ?? "user"}`);
  return attempt(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    const isPrivate = user === undefined || (found.uid === user && (found.mode & 0o022) === 0);
    return found.isDirectory() && isPrivate ? folder : undefined;
  });
}
