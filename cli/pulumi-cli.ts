import { execFile } from "node:child_process";
import { onPath } from "../simulation/pulumi/find-pulumi";

/** What a command of the Pulumi CLI printed, or why there is nothing. */
type PulumiOutput =
  | { readonly text: string }
  /** The first line with an error. */
  | { readonly failure: string }
  | { readonly missing: true };

/** Runs a command of the Pulumi CLI in a folder. It never asks for anything. */
export function runPulumi(args: readonly string[], cwd: string, timeoutMs = 120_000): Promise<PulumiOutput> {
  const program = onPath("pulumi");
  if (program === undefined) return Promise.resolve({ missing: true });
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const options = { cwd, env, maxBuffer: 500_000_000, timeout: timeoutMs };
  return new Promise((resolve) => {
    execFile(program, [...args, "--non-interactive"], options, (error, stdout, stderr) => {
      resolve(error ? { failure: reasonOf(stderr, error.message) } : { text: stdout });
    });
  });
}

function reasonOf(stderr: string, message: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((one) => one.startsWith("error:")) ?? lines[0] ?? message.split("\n")[0] ?? "";
  return line.replace(/^error: /, "").slice(0, 300);
}
