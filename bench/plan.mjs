// How long the offline plan of gpu-lab takes as a cold process, beside the floor that every Pulumi program pays:
// the bare import of @pulumi/pulumi. Both run in turn, so that the ratio holds on a noisy machine.
//
//   node bench/plan.mjs [runs]
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const runs = Number(process.argv[2] ?? 11);
const scratch = mkdtempSync(join(tmpdir(), "bench-plan-"));
const report = join(scratch, "rss");
const hook = join(scratch, "hook.cjs");
writeFileSync(
  hook,
  `process.on("exit", () => require("fs").writeFileSync(process.env.BENCH_REPORT, String(process.resourceUsage().maxRSS)));`,
);

const subjects = {
  "node, doing nothing": ["-e", "0"],
  "floor: import @pulumi/pulumi": ["-e", 'require("@pulumi/pulumi")'],
  "plan of gpu-lab": ["dist/cli.js", "plan"],
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
    if (run === 0) continue; // warms the file cache
    times[name].push(ms);
    memory[name].push(Number(readFileSync(report, "utf8")) / 1024);
  }
}
rmSync(scratch, { recursive: true });

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
console.log(`${runs} runs in turn on Node ${process.version}, after one that is not counted\n`);
for (const name of Object.keys(subjects)) {
  const [low, mid, high] = [Math.min(...times[name]), median(times[name]), Math.max(...times[name])];
  console.log(
    `${name.padEnd(30)} ${mid.toFixed(0).padStart(5)} ms (${low.toFixed(0)}-${high.toFixed(0)})   ${Math.max(...memory[name]).toFixed(0)} MiB at most`,
  );
}
const pairs = times["plan of gpu-lab"].map((ms, index) => ms / times["floor: import @pulumi/pulumi"][index]);
console.log(`\nplan / floor, run by run: ${median(pairs).toFixed(2)}`);
