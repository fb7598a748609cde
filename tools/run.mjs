// Runs a script of this folder that is written in TypeScript, as a bundle in memory.
//
//   node tools/run.mjs docs
import { readFile } from "node:fs/promises";
import Module, { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const [name, ...args] = process.argv.slice(2);
const entry = fileURLToPath(new URL(`${name}.ts`, import.meta.url));

/** A bundle has one `__dirname`; each file keeps its own here. */
const keepFolders = {
  name: "keep-folders",
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      if (!/\b__dirname\b/.test(source)) return undefined;
      return { contents: `const __dirname = ${JSON.stringify(dirname(path))}; ${source}`, loader: "ts" };
    });
  },
};

const { outputFiles } = await esbuild.build({
  entryPoints: [entry],
  bundle: true,
  write: false,
  platform: "node",
  target: "node20",
  format: "cjs",
  packages: "external",
  external: ["*.mjs"],
  plugins: [keepFolders],
  sourcemap: "inline",
  logLevel: "warning",
});

// The script reads its arguments as if Node.js ran it.
process.argv = [process.argv[0], entry, ...args];
const script = new Module(entry);
script.filename = entry;
script.paths = createRequire(entry).resolve.paths("esbuild");
script._compile(outputFiles[0].text, entry);
await script.exports.main(args);
