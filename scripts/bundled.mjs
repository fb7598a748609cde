// Loads a TypeScript module of the project, as a bundle in memory.
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const root = new URL("..", import.meta.url);

/** The exports of a module, named by its path from the project's root. */
export function loadBundled(path) {
  const entry = fileURLToPath(new URL(path, root));
  const { outputFiles } = esbuild.buildSync({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    packages: "external",
    // Code that is made from text has no place from which an import could start.
    supported: { "dynamic-import": false },
  });
  const module = { exports: {} };
  const load = new Function("module", "exports", "require", "__dirname", outputFiles[0].text);
  load(module, module.exports, createRequire(import.meta.url), dirname(entry));
  return module.exports;
}
