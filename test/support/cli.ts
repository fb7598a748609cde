import { exitStatus, type Console } from "../../commands/core/command";
import { eksGpuLab } from "../../commands/eks-gpu-lab";
import { InputError } from "../../components/core/problems";
import { ownProject } from "./own-project";

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
  return captured((console) => eksGpuLab(args, console), overrides);
}

/** Runs a function of a command and keeps what it prints. Wrong input ends as in the tool: status 2 and the message. */
export async function captured(
  run: (console: Console) => Promise<number>,
  overrides: Partial<Console> = {},
): Promise<CliResult> {
  let [out, err] = ["", ""];
  const write = (text: string) => void (out += text);
  const warn = (text: string) => void (err += text);
  const status = await run({ write, warn, cwd: ownProject, terminal: {}, ...overrides }).catch((error: unknown) => {
    if (!InputError.is(error)) throw error;
    warn(`${error.message}\n`);
    return exitStatus.wrongInput;
  });
  return { status, out, err };
}

/** A console that acts once, when a text has been printed on it. */
export function onText(console: Console, text: string, act: () => unknown): Console {
  let [printed, hasActed] = ["", false];
  const watch = (print: (part: string) => void) => (part: string) => {
    print(part);
    printed += part;
    if (hasActed || !printed.includes(text)) return;
    hasActed = true;
    act();
  };
  return { ...console, write: watch((part) => console.write(part)), warn: watch((part) => console.warn(part)) };
}
