// `pulumi package add` clones the repository and runs `npm install` in this folder. A clone has no dist/: npm installs the
// package and builds it. The npm package has one.
const { spawnSync } = require("node:child_process");
const { existsSync } = require("node:fs");
const { join } = require("node:path");

// npm runs this in its folder.
const root = join(process.cwd(), "..");
if (!existsSync(join(root, "dist/provider.js"))) {
  // What npm tells its scripts about this folder does not hold for the other.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^npm_(?!config_)|^npm_config_local_prefix$|^INIT_CWD$/.test(key)),
  );
  const { status } = spawnSync("npm", ["install"], { cwd: root, env, stdio: "inherit", shell: true });
  process.exitCode = status ?? 1;
}
