// Measures the offline plan of gpu-lab as a cold process, relative to the import of @pulumi/pulumi, which every Pulumi
// program needs. All commands run in turn, so that the ratios are valid on a noisy machine. Exits with 1 over budget.
//
//   node bench/plan.mjs [runs] [folder]
//
// With a folder that has @aws-quickstart/eks-blueprints 1.17 or later, it also measures the synthesis of a bare cluster
// with the AWS CDK:  npm install --prefix /tmp/blueprints @aws-quickstart/eks-blueprints aws-cdk-lib constructs
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const runs = Number(process.argv[2] ?? 11);
const blueprints = process.argv[3];
const budget = { floors: 1.4, mebibytes: 250 };
const scratch = mkdtempSync(join(tmpdir(), "bench-plan-"));
const report = join(scratch, "rss");
const hook = join(scratch, "hook.cjs");
writeFileSync(
  hook,
  `process.on("exit", () => require("fs").writeFileSync(process.env.BENCH_REPORT, String(process.resourceUsage().maxRSS)));`,
);

const bareCluster = `
  const from = require("module").createRequire(${JSON.stringify(join(blueprints ?? ".", "package.json"))});
  const app = new (from("aws-cdk-lib").App)();
  const { EksBlueprint } = from("@aws-quickstart/eks-blueprints");
  EksBlueprint.builder().account("111122223333").region("us-east-1").version("auto").build(app, "bare");
  app.synth();`;
const floor = "floor: import @pulumi/pulumi";
const plan = "plan of gpu-lab";
const subjects = {
  "node, doing nothing": ["-e", "0"],
  [floor]: ["-e", 'require("@pulumi/pulumi")'],
  [plan]: ["dist/cli.js", "plan"],
  ...(blueprints && { "AWS CDK: bare EKS Blueprints": ["-e", bareCluster] }),
};
const times = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
const memory = { ...structuredClone(times) };

for (let run = 0; run <= runs; run++) {
  for (const [name, args] of Object.entries(subjects)) {
    const start = process.hrtime.bigint();
    const done = spawnSync(process.execPath, ["-r", hook, ...args], {
      cwd: root,
      env: { ...process.env, BENCH_REPORT: report, NODE_DISABLE_COMPILE_CACHE: "1" },
    });
    const ms = Number(process.hrtime.bigint() - start) / 1e6;
    if (done.status !== 0) throw new Error(`${name} failed\n${done.stderr}`);
    if (run === 0) continue; // warms up the file cache
    times[name].push(ms);
    memory[name].push(Number(readFileSync(report, "utf8")) / 1024);
  }
}
rmSync(scratch, { recursive: true });

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
console.log(`${runs} runs in turn on Node ${process.version}, after a warm-up run\n`);
for (const name of Object.keys(subjects)) {
  const [low, mid, high] = [Math.min(...times[name]), median(times[name]), Math.max(...times[name])];
  console.log(
    `${name.padEnd(30)} ${mid.toFixed(0).padStart(5)} ms (${low.toFixed(0)}-${high.toFixed(0)})   ${Math.max(...memory[name]).toFixed(0)} MiB at most`,
  );
}
const ratio = (name) => median(times[name].map((ms, run) => ms / times[floor][run]));
console.log("\ntimes the floor, run by run");
for (const name of Object.keys(subjects).slice(2)) console.log(`${name.padEnd(30)} ${ratio(name).toFixed(2)}`);
const within = ratio(plan) <= budget.floors && Math.max(...memory[plan]) <= budget.mebibytes;
console.log(
  `\nbudget of the plan: ${budget.floors} times the floor, ${budget.mebibytes} MiB: ${within ? "kept" : "EXCEEDED"}`,
);
process.exitCode = within ? 0 : 1;
