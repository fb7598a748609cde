// Measures the startup of the stack's program under `pulumi up`: Pulumi's ts-node with stacks/tsconfig.json, from a cold
// process to the loaded program. noCheck turns off the type check, which takes several times as long.
//
//   node bench/program-start.mjs [runs]
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const stacks = fileURLToPath(new URL("../stacks", import.meta.url));
const runs = Number(process.argv[2] ?? 7);

const load = (change) => `
  const tsutils = require("@pulumi/pulumi/tsutils");
  const { tsnodeRequire, typescriptRequire } = tsutils.typeScriptRequireStrings();
  const compilerOptions = { ...tsutils.loadTypeScriptCompilerOptions("tsconfig.json"), ${change} };
  require(tsnodeRequire).register({
    compiler: typescriptRequire, transpileOnly: compilerOptions.noCheck, project: "tsconfig.json", compilerOptions,
  });
  require("@pulumi/pulumi");
  require(${JSON.stringify(stacks)} + "/index.ts");`;

const subjects = {
  "floor: import @pulumi/pulumi": ['require("@pulumi/pulumi")'],
  "start, as configured (noCheck)": [load("")],
  "start, ts-node's cache empty": [load(""), { TS_NODE_CACHE: "false" }],
  "start, with the type check": [load("noCheck: false"), { TS_NODE_CACHE: "false" }],
};
const times = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
for (let run = 0; run <= runs; run++) {
  for (const [name, [code, env]] of Object.entries(subjects)) {
    if (name.includes("type check") && run > 2) continue;
    const start = process.hrtime.bigint();
    const done = spawnSync(process.execPath, ["-e", code], {
      cwd: stacks,
      encoding: "utf8",
      env: { ...process.env, ...env },
    });
    if (done.status !== 0) throw new Error(`${name} failed\n${done.stderr}`);
    if (run > 0) times[name].push(Number(process.hrtime.bigint() - start) / 1e6);
  }
}
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
console.log(`up to ${runs} runs in turn on Node ${process.version}, after a warm-up run\n`);
for (const [name, values] of Object.entries(times)) {
  console.log(`${name.padEnd(32)} ${median(values).toFixed(0).padStart(6)} ms, ${values.length} runs`);
}
