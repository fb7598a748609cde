// Builds dist/: one CommonJS bundle for each entry of the package, with the dependencies left outside, and with
// --types the declarations. Bundles, because one file loads faster than a hundred; 0.1 s without types.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

const entryPoints = {
  index: "components/index.ts",
  cli: "cli/main.ts",
  "policies/lab": "policies/packs/lab/index.ts",
};

rmSync("dist", { recursive: true, force: true });
await esbuild.build({
  entryPoints: Object.fromEntries(Object.entries(entryPoints).filter(([, file]) => existsSync(file))),
  outdir: "dist",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  packages: "external",
  sourcemap: true,
  logLevel: "warning",
});

if (process.argv.includes("--types")) {
  const tsc = spawnSync("npx", ["tsc", "-p", "tsconfig.types.json"], { stdio: "inherit" });
  process.exit(tsc.status ?? 1);
}
