// Node.js loads this module before Pulumi's runner, as Pulumi.yaml says. It translates the program in the working directory
// like the offline plan, while the runner loads the SDK. Pulumi's own loader takes several times as long in a new clone.
const { buildSync } = require("esbuild");
const Module = require("node:module");
const { join, resolve } = require("node:path");

const path = join(__dirname, "load-program.ts");
const options = { bundle: true, write: false, platform: "node", packages: "external" };
const [{ text }] = buildSync({ ...options, entryPoints: [path] }).outputFiles;
const translator = Object.assign(new Module(path), { filename: path, paths: module.paths });
translator._compile(text, path);
const { programOf, translate } = translator.exports;

const entry = resolve("index.ts");
const code = translate(entry);
code.catch(() => undefined); // The runner reports it, because the program throws it.
require.extensions[".ts"] = (program) => {
  process.setSourceMapsEnabled(true);
  program.exports = async () => programOf(await code, entry)();
};
