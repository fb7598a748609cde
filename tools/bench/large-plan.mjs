// Measures the offline plan of a program with 1,000 GPU node groups (14,000 resources) as a cold process: CPU time and memory,
// also relative to the import of @pulumi/pulumi in the same run. Exits with 1 over budget.
//
//   node tools/bench/large-plan.mjs [groups]
import { spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, usageHook } from "./measure.mjs";

const groups = Number(process.argv[2] ?? 1000);
const budget = { seconds: 20, mebibytes: 1000 };

const project = mkdtempSync(join(tmpdir(), "bench-large-plan-"));
const report = join(project, "usage.json");
const hook = usageHook(project);
const write = (file, text) => writeFileSync(join(project, file), text);
mkdirSync(join(project, "node_modules"));
symlinkSync(root, join(project, "node_modules", "eks-gpu-lab"));
symlinkSync(join(root, "node_modules", "@pulumi"), join(project, "node_modules", "@pulumi"));
write("Pulumi.yaml", "name: large\nruntime: nodejs\nmain: index.ts\n");
write("Pulumi.dev.yaml", "config:\n  aws:region: ap-northeast-2\n");
write(
  "index.ts",
  `import { GpuNodeGroup } from "eks-gpu-lab";
  for (let i = 0; i < ${groups}; i++)
    new GpuNodeGroup(\`gpu-\${i}\`, {
      clusterName: "lab",
      kubernetesVersion: "1.35",
      subnetId: "subnet-0123456789abcdef0",
      securityGroupIds: ["sg-0123456789abcdef0"],
      maxSize: 2,
    });`,
);

/** CPU time and memory of Node.js with these arguments, whose standard output must contain the text. */
function usageOf(args, text) {
  const env = { ...process.env, BENCH_REPORT: report };
  const done = spawnSync(process.execPath, ["-r", hook, ...args], { cwd: project, env, maxBuffer: 2 ** 28 });
  if (!String(done.stdout).includes(text)) throw new Error(`${args.join(" ")} failed\n${done.stderr}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(report, "utf8"));
  return { seconds: (userCPUTime + systemCPUTime) / 1e6, mebibytes: maxRSS / 1024 };
}

const floor = usageOf(["-e", 'require("@pulumi/pulumi")'], "");
// A rule rejects so many instances, because they exceed the default quota.
const plan = usageOf([join(root, "dist/cli.js"), "plan"], `${14 * groups + 1} to create`);
rmSync(project, { recursive: true });

console.log(`plan of ${groups} GPU node groups on Node ${process.version}`);
for (const [unit, digits] of Object.entries({ seconds: 1, mebibytes: 0 })) {
  const over = plan[unit] > budget[unit];
  const ratio = (plan[unit] / floor[unit]).toFixed(1);
  console.log(
    `${plan[unit].toFixed(digits)} ${unit}, at most ${budget[unit]}${over ? ": EXCEEDED" : ""}; ${ratio} times the import of @pulumi/pulumi`,
  );
  if (over) process.exitCode = 1;
}
