import { spawnSync } from "node:child_process";
import { saySkipped } from "./skips";

/** Whether a program of this machine runs. Where it does not, say so: what needs it is skipped, not passed. */
export function has(program: string, ...args: string[]): boolean {
  const runs = spawnSync(program, args).status === 0;
  if (!runs) saySkipped(`skipped: ${[program, ...args].join(" ")} does not run on this machine`);
  return runs;
}
