// Builds dist/: one CommonJS bundle for each entry of the package, with the dependencies left outside, and with
// --types the declarations. Bundles, because one file loads faster than a hundred; 0.1 s without types.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

const entryPoints = {
  index: "components/index.ts",
  cli: "cli/main.ts",
  "policies/lab": "policies/packs/lab/index.ts",
};

// Nothing is removed before everything is built.
const { outputFiles } = await esbuild.build({
  entryPoints,
  outdir: "dist",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  packages: "external",
  sourcemap: true,
  logLevel: "warning",
  write: false,
});
rmSync("dist", { recursive: true, force: true });
for (const { path, contents } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}

if (process.argv.includes("--types")) {
  const tsc = spawnSync("npx", ["tsc", "-p", "tsconfig.types.json"], { stdio: "inherit" });
  process.exit(tsc.status ?? 1);
}
