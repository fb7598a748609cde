// Measures each step of a rehearsal with the Pulumi CLI on the PATH, and the minimum for any command: a preview of an
// empty program. Exits with 1 when `pulumi up` of the lab exceeds its budget.
//
//   node tools/bench/rehearsal.mjs [stack]
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, since } from "./measure.mjs";

const stack = process.argv[2] ?? "gpu-lab";
const budget = 20;

const minimum = minimumSeconds();
const json = execFileSync(process.execPath, ["dist/cli.js", "rehearse", "--stack", stack, "--json"], { cwd: root });
const { steps } = JSON.parse(json);

console.log(`rehearsal of ${stack} on Node ${process.version}\n`);
line("minimum: preview of an empty program", minimum);
for (const { title, seconds } of steps) line(title, seconds);
const [up] = steps;
const within = up.succeeded && up.seconds <= budget;
console.log(`\nbudget of the first up: ${budget} s: ${within ? "met" : "EXCEEDED"}`);
process.exitCode = within ? 0 : 1;

function line(title, seconds) {
  const times = seconds > 0 ? `${(seconds / minimum).toFixed(1)} times the minimum` : "";
  console.log(`${title.padEnd(40)} ${seconds.toFixed(1).padStart(6)} s   ${times}`);
}

/** The faster of two runs: the first one fills caches. */
function minimumSeconds() {
  const folder = mkdtempSync(join(tmpdir(), "bench-rehearsal-"));
  const env = {
    ...process.env,
    PULUMI_BACKEND_URL: `file://${folder}`,
    PULUMI_CONFIG_PASSPHRASE: "bench",
    PULUMI_SKIP_UPDATE_CHECK: "1",
  };
  const pulumi = (...args) =>
    execFileSync("pulumi", [...args, "--non-interactive"], { cwd: folder, env, stdio: "pipe" });
  try {
    writeFileSync(join(folder, "Pulumi.yaml"), "name: nothing\nruntime: nodejs\n");
    writeFileSync(join(folder, "package.json"), '{ "main": "index.js" }');
    writeFileSync(join(folder, "index.js"), 'require("@pulumi/pulumi");\n');
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    pulumi("stack", "init", "bench");
    const times = [0, 0].map(() => {
      const start = process.hrtime.bigint();
      pulumi("preview", "--stack", "bench");
      return since(start) / 1000;
    });
    return Math.min(...times);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
