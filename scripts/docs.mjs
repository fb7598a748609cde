// Writes what is generated from the code into Pulumi.yaml and the README:
//
//   node scripts/docs.mjs
//
// A test fails while the files differ from it.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";
import prettier from "prettier";
import { pulumiConfig, readmeTable } from "./config-docs.mjs";

const root = new URL("..", import.meta.url);

const generated = {
  "Pulumi.yaml": (keys) => [/^config:\n[^]*$/m, pulumiConfig(keys)],
  "README.md": (keys) => [/(<!-- configuration keys -->\n)[^]*?(\n<!-- end -->)/, `$1\n${readmeTable(keys)}\n$2`],
};
export const files = Object.keys(generated);

/** The content a file should have. */
export async function render(file) {
  const path = fileURLToPath(new URL(file, root));
  const [pattern, text] = generated[file](loadKeys());
  const before = readFileSync(path, "utf8");
  if (!pattern.test(before)) throw new Error(`${file} has no place for the generated text`);
  const options = await prettier.resolveConfig(path);
  return prettier.format(before.replace(pattern, text), { ...options, filepath: path });
}

function loadKeys() {
  const { outputFiles } = esbuild.buildSync({
    entryPoints: [fileURLToPath(new URL("stacks/config-keys.ts", root))],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    packages: "external",
  });
  const module = { exports: {} };
  const load = new Function("module", "exports", "require", outputFiles[0].text);
  load(module, module.exports, createRequire(import.meta.url));
  return module.exports.configKeys;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const file of files) writeFileSync(new URL(file, root), await render(file));
}
