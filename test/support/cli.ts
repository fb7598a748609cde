import type { Console } from "../../cli/command";
import { planCommand } from "../../cli/plan";

export interface CliResult {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `eks-gpu-lab plan` in this process, in the project's folder unless another is given. */
export async function runPlan(args: readonly string[], overrides: Partial<Console> = {}): Promise<CliResult> {
  let out = "";
  let err = "";
  const status = await planCommand.run(args, {
    write: (text) => void (out += text),
    warn: (text) => void (err += text),
    cwd: process.cwd(),
    terminal: {},
    ...overrides,
  });
  return { status, out, err };
}
