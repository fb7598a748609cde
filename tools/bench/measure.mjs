// What the benchmarks share.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the project. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** The milliseconds since a time of `process.hrtime.bigint()`. */
export const since = (start) => Number(process.hrtime.bigint() - start) / 1e6;

/** A module that a process loads with `-r`: at its end, it writes its usage as JSON to the file in BENCH_REPORT. */
export function usageHook(folder) {
  const hook = join(folder, "hook.cjs");
  const usage = "JSON.stringify(process.resourceUsage())";
  writeFileSync(hook, `process.on("exit", () => require("fs").writeFileSync(process.env.BENCH_REPORT, ${usage}));`);
  return hook;
}
