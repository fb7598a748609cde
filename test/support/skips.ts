import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Files of one run, which its processes share: workers are children of the process that setups and the reporter are in. */
const run = process.env["VITEST_WORKER_ID"] === undefined ? process.pid : process.ppid;
const folder = join(tmpdir(), `eks-gpu-lab-skips-${run}`);

/** Says what this run skips, and why. The run prints each text once, before its summary. */
export function saySkipped(text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, createHash("sha256").update(text).digest("hex")), text);
}

/** What was said since the last call. */
export function takeSkips(): string[] {
  try {
    return readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  } catch {
    return [];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
