// Builds dist/: one CommonJS bundle for each entry of the package, with the dependencies left outside, and with
// --types the declarations. Bundles, because one file loads faster than a hundred; 0.1 s without types.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

const packs = readdirSync("policies/packs", { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const entryPoints = {
  index: "components/index.ts",
  cli: "commands/main.ts",
  ...Object.fromEntries(["plan", "commands"].map((bundle) => [bundle, `lazy:${bundle}`])),
  "policies/index": "policies/index.ts",
  testing: "simulation/mocks.ts",
  provider: "provider/main.ts",
  ...Object.fromEntries(packs.map((pack) => [`policies/${pack}`, `policies/packs/${pack}/index.ts`])),
};

/** What a command imports when it runs: the modules of the dynamic imports, by their path in the folder. */
const imported = readdirSync("commands", { recursive: true })
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) =>
    [...readFileSync(join("commands", file), "utf8").matchAll(/import\("(\.\/[a-z/-]+)\.js"\)/g)].map(([, path]) =>
      join(dirname(file), path),
    ),
  );

/** The bundle of such a module. A completion needs parts of the plan; the other commands share most of their code. */
const bundleOf = (module) => (["plan/plan", "completion/completion"].includes(module) ? "plan" : "commands");

// The help loads neither bundle, and a command only what it needs of its own. The packs share the bundle with the rules, and
// the provider the one with the components.
const separateBundles = {
  name: "separate-bundles",
  setup(build) {
    build.onResolve({ filter: /^lazy:/ }, ({ path }) => ({ path, namespace: "lazy" }));
    build.onResolve({ filter: /^\.\/[a-z/-]+\.js$/ }, ({ kind, path, resolveDir }) => {
      const module = relative(join(root, "commands"), join(resolveDir, path)).replace(/\.js$/, "");
      const isLazy = kind === "dynamic-import" && !module.startsWith("..");
      return isLazy ? { path: `lazy:${module}`, namespace: "lazy" } : undefined;
    });
    build.onResolve({ filter: /^\.\/(plan|commands)\.js$/, namespace: "lazy" }, ({ path }) => ({
      path,
      external: true,
    }));
    build.onLoad({ filter: /^/, namespace: "lazy" }, ({ path }) => {
      const name = path.replace("lazy:", "");
      const own = imported.filter((module) => bundleOf(module) === name);
      return {
        contents:
          own.length > 0
            ? own.map((module) => `exports["${module}"] = () => require("./${module}");`).join("\n")
            : `module.exports = require("./${bundleOf(name)}.js")["${name}"]();`,
        resolveDir: join(root, "commands"),
      };
    });
    build.onResolve({ filter: /^\.\.\/components\/index\.js$/ }, () => ({ path: "./index.js", external: true }));
    build.onResolve({ filter: /^\.\.\/\.\.$/ }, ({ resolveDir }) =>
      dirname(resolveDir) === join(root, "policies/packs") ? { path: "./index.js", external: true } : undefined,
    );
  },
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
  plugins: [separateBundles],
  sourcemap: true,
  logLevel: "warning",
  write: false,
});
// npm runs this once more without --types when it packs: declarations stay until they are made anew.
const withTypes = process.argv.includes("--types");
for (const entry of existsSync("dist") ? readdirSync("dist") : []) {
  if (withTypes || entry !== "types") rmSync(join("dist", entry), { recursive: true });
}
for (const { path, contents } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}
// npm makes the tool executable only when it installs the package, and here each build writes the file anew.
chmodSync("dist/cli.js", 0o755);

// A module reads the scripts for pods, nodes and shells from the folder `scripts` next to it, and the parts of HTML pages from the
// folder `assets`; a bundle is such a module.
copyFiles("components", "scripts", /\.(?:py|sh|pl)$/);
copyFiles("commands", "scripts", /^completion\./);
copyFiles("planner", "assets", /\.(?:css|js)$/);

function copyFiles(room, folder, form) {
  const files = readdirSync(room, { recursive: true, withFileTypes: true }).filter(
    ({ name, parentPath }) => basename(parentPath) === folder && form.test(name),
  );
  mkdirSync(join("dist", folder), { recursive: true });
  for (const { name, parentPath } of files) {
    copyFileSync(join(parentPath, name), join("dist", folder, name), constants.COPYFILE_EXCL);
  }
}

if (withTypes) {
  const tsc = spawnSync("npx", ["tsc", "-p", "tsconfig.types.json"], { stdio: "inherit" });
  process.exit(tsc.status ?? 1);
}
