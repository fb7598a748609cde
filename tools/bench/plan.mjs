// Measures the offline plan of gpu-lab as a cold process, with every rule judged, relative to peers: the import of
// @pulumi/pulumi, which every Pulumi program needs, and a bare cluster of EKS Blueprints on the AWS CDK, as `node app.js`
// and as `cdk synth`. Measures `plan --all` relative to one plan, and `--help` relative to an idle Node.js. All commands run
// in turn, so that the ratios are valid on a noisy machine. Exits with 1 over budget.
//
//   node tools/bench/plan.mjs [runs] [folder]
//
// The folder has the peers:
//   npm install --prefix /tmp/blueprints @aws-quickstart/eks-blueprints aws-cdk-lib constructs aws-cdk
// A peer that it lacks is skipped. The plan keeps its caches between runs, as it does for users.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { median, root, since, usageHook } from "./measure.mjs";

const runs = Number(process.argv[2] ?? 15);
const blueprints = process.argv[3] && resolve(process.argv[3]);
const major = Number(process.versions.node.split(".")[0]);
const scratch = mkdtempSync(join(tmpdir(), "bench-plan-"));
const report = join(scratch, "usage.json");
const hook = usageHook(scratch);

/** The zones would otherwise need an AWS account. */
const bareCluster = `
  const from = require("module").createRequire(${JSON.stringify(join(blueprints ?? ".", "package.json"))});
  const zones = ["us-east-1a", "us-east-1b", "us-east-1c"];
  const context = { "availability-zones:account=111122223333:region=us-east-1": zones };
  const app = new (from("aws-cdk-lib").App)({ context });
  const { EksBlueprint } = from("@aws-quickstart/eks-blueprints");
  EksBlueprint.builder().account("111122223333").region("us-east-1").version("auto").build(app, "bare");
  app.synth();`;
const app = join(scratch, "app.js");
writeFileSync(app, bareCluster);

/** Path of a file of a peer's package. Undefined, with a message, if the peer is not installed. */
function peer(request) {
  if (blueprints === undefined) return void console.log(`skipped: ${request}: no folder with the peers was given`);
  try {
    return createRequire(join(blueprints, "package.json")).resolve(request);
  } catch (error) {
    return void console.log(`skipped: ${request}: ${error.message.split("\n")[0]}`);
  }
}

const idle = "node, doing nothing";
const help = "--help";
const plan = "plan of gpu-lab";
const all = "plan --all";
const floor = "import @pulumi/pulumi";
const bare = "node app.js";
const synth = "cdk synth";
const hasApp = peer("@aws-quickstart/eks-blueprints") !== undefined;
const cdk = hasApp ? peer("aws-cdk/bin/cdk") : undefined;
const synthesis = [cdk, "synth", "--quiet", "--app", `${process.execPath} ${app}`, "--output", join(scratch, "out")];
const withoutCaches = { NODE_DISABLE_COMPILE_CACHE: "1" };
const subjects = {
  [idle]: { args: ["-e", "0"] },
  [help]: { args: ["dist/cli.js", "--help"] },
  [floor]: { args: ["-e", 'require("@pulumi/pulumi")'] },
  [plan]: { args: ["dist/cli.js", "plan"] },
  [all]: { args: ["dist/cli.js", "plan", "--all"] },
  "plan, without caches": { args: ["dist/cli.js", "plan"], env: withoutCaches },
  ...(hasApp && { [bare]: { args: [app] } }),
  ...(cdk && { [synth]: { args: synthesis } }),
};
/** Most time of a command, relative to another. */
const budgets = [
  [plan, floor, 1.4],
  [plan, bare, major < 22 ? 0.7 : 0.6],
  [plan, synth, 0.3],
  [all, plan, 2.7],
  [help, idle, 1.6],
];
const times = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
const memory = structuredClone(times);

for (let run = 0; run <= runs; run++) {
  for (const [name, { args, env }] of Object.entries(subjects)) {
    const start = process.hrtime.bigint();
    const done = spawnSync(process.execPath, ["-r", hook, ...args], {
      cwd: root,
      env: { ...process.env, BENCH_REPORT: report, ...env },
    });
    const ms = since(start);
    if (done.status !== 0) throw new Error(`${name} failed\n${done.stderr}`);
    if (run === 0) continue; // fills the caches of the files and of the plan
    times[name].push(ms);
    memory[name].push(JSON.parse(readFileSync(report, "utf8")).maxRSS / 1024);
  }
}
rmSync(scratch, { recursive: true });

console.log(`${runs} runs in turn on Node ${process.version}, after a warm-up run\n`);
for (const name of Object.keys(subjects)) {
  const [low, mid, high] = [Math.min(...times[name]), median(times[name]), Math.max(...times[name])];
  console.log(
    `${name.padEnd(24)} ${mid.toFixed(0).padStart(5)} ms (${low.toFixed(0)}-${high.toFixed(0)})   ${median(memory[name]).toFixed(0)} MiB`,
  );
}
console.log("\none relative to another, run by run");
let kept = true;
const judged = (text, value, most, digits) => {
  kept &&= value <= most;
  console.log(
    `${text.padEnd(46)} ${value.toFixed(digits)}, at most ${most.toFixed(digits)}${value > most ? ": EXCEEDED" : ""}`,
  );
};
for (const [name, other, most] of budgets.filter(([, other]) => other in times)) {
  judged(`time: ${name} / ${other}`, median(times[name].map((ms, run) => ms / times[other][run])), most, 2);
}
judged(`MiB: ${plan}`, median(memory[plan]), hasApp ? median(memory[bare]) : 250, 0);
process.exitCode = kept ? 0 : 1;
