// Measures the program of gpu-lab against mocks, from a cold process to its last resource: with the loader that Pulumi.yaml
// names, and with Pulumi's own loader as its peer, without a type check. The ratios are of runs in turn.
//
//   node tools/bench/program-start.mjs [runs]
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, root, since } from "./measure.mjs";

const runs = Number(process.argv[2] ?? 7);
const scratch = mkdtempSync(join(tmpdir(), "bench-start-"));
const pulumiLoader = join(scratch, "pulumi-loader.cjs");
writeFileSync(
  pulumiLoader,
  `const load = require("module").createRequire(${JSON.stringify(join(root, "package.json"))});
  const { tsnodeRequire, typescriptRequire } = load("@pulumi/pulumi/tsutils").typeScriptRequireStrings();
  const compilerOptions = { target: "es2022", module: "commonjs", esModuleInterop: true, resolveJsonModule: true };
  load(tsnodeRequire).register({ compiler: typescriptRequire, transpileOnly: true, skipProject: true, compilerOptions });`,
);

const run = join(root, "test/support/run-with-mocks.cjs");
const config = { "aws:region": "ap-northeast-2", "eks-gpu-lab:publicAccessCidrs": '["203.0.113.7/32"]' };
const program = [run, JSON.stringify(config)];
const cache = { TS_NODE_CACHE_DIRECTORY: join(scratch, "cache") };
const own = "loader of Pulumi.yaml";
const subjects = {
  "import @pulumi/pulumi": { args: ["-e", 'require("@pulumi/pulumi")'] },
  [own]: { args: ["-r", join(root, "planner/program/pulumi-loader.cjs"), ...program] },
  "Pulumi's loader": { args: ["-r", pulumiLoader, ...program], env: cache },
  "Pulumi's loader, in a new clone": { args: ["-r", pulumiLoader, ...program], env: { TS_NODE_CACHE: "false" } },
};
const times = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
for (let run = 0; run <= runs; run++) {
  for (const [name, { args, env }] of Object.entries(subjects)) {
    const start = process.hrtime.bigint();
    const done = spawnSync(process.execPath, args, {
      cwd: join(root, "stacks"),
      encoding: "utf8",
      env: { ...process.env, ...env },
    });
    if (done.status !== 0) throw new Error(`${name} failed\n${done.stderr}`);
    if (run > 0) times[name].push(since(start));
  }
}
rmSync(scratch, { recursive: true });
console.log(`${runs} runs in turn on Node ${process.version}, after a warm-up run\n`);
for (const [name, values] of Object.entries(times)) {
  const ratio = median(times[own].map((ms, run) => ms / values[run]));
  const text = name === own ? "" : `, the loader of Pulumi.yaml takes ${ratio.toFixed(2)} of it`;
  console.log(`${name.padEnd(32)} ${median(values).toFixed(0).padStart(6)} ms${text}`);
}
