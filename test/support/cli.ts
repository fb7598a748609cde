import type { Console } from "../../cli/command";
import { eksGpuLab } from "../../cli/eks-gpu-lab";

export interface CliResult {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `eks-gpu-lab plan` in this process, in the project's folder unless another is given. */
export async function runPlan(args: readonly string[], overrides: Partial<Console> = {}): Promise<CliResult> {
  return runCli(["plan", ...args], overrides);
}

/** Runs a command of `eks-gpu-lab` in this process. */
export async function runCli(args: readonly string[], overrides: Partial<Console> = {}): Promise<CliResult> {
  let out = "";
  let err = "";
  const status = await eksGpuLab(args, {
    write: (text) => void (out += text),
    warn: (text) => void (err += text),
    cwd: process.cwd(),
    terminal: {},
    ...overrides,
  });
  return { status, out, err };
}
