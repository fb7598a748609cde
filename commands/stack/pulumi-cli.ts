import { parseJson } from "../../components/core/json-text";
import { InputError } from "../../components/core/problems";
import { isRecord } from "../../components/core/reader/records";
import { execFile } from "node:child_process";
import { installPulumi, missingPulumi, onPath } from "../../simulation/pulumi/find-pulumi";

/** What a command of the Pulumi CLI printed, or why there is nothing. */
type PulumiOutput =
  | { readonly text: string }
  /** The first line with an error. */
  | { readonly failure: string }
  /** That the CLI is missing, as a sentence without its end. */
  | { readonly missing: string };

/** Runs a command of the Pulumi CLI in a folder. It never asks for anything. */
export function runPulumi(args: readonly string[], cwd: string, timeoutMs = 120_000): Promise<PulumiOutput> {
  const program = onPath("pulumi");
  if (program === undefined) return Promise.resolve({ missing: missingPulumi });
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

export type Outputs = Readonly<Record<string, unknown>>;

/** Reads the outputs of a stack with the Pulumi CLI, in the current folder. Secrets stay masked. @throws InputError */
export async function stackOutputs(stack: string | undefined, cwd: string): Promise<Outputs> {
  const fix = "name a stack from pulumi stack ls with --stack, or use --cluster, --nodegroup and --region";
  const outputs = parseJson(await pulumiOutput(["stack", "output", "--json"], { stack, cwd, fix }));
  if (isRecord(outputs)) return outputs;
  throw stackProblem(stack, "pulumi stack output does not print a JSON object.", "update the Pulumi CLI");
}

interface At {
  readonly stack: string | undefined;
  readonly cwd: string;
  /** What to do if the command fails. */
  readonly fix: string;
  /** What to do if the backend has no such stack. @default the fix */
  readonly missingFix?: string;
}

/** Runs a command of the Pulumi CLI that reads a stack. @throws InputError */
export async function pulumiOutput(command: readonly string[], at: At): Promise<string> {
  const { stack, cwd, fix } = at;
  const output = await runPulumi([...command, ...(stack === undefined ? [] : ["--stack", stack])], cwd);
  if ("text" in output) return output.text;
  if ("missing" in output) {
    const why = `${output.missing}. The command needs it to read the stack.`;
    const problem = { code: "missing", path: "pulumi", got: undefined, why } as const;
    throw new InputError("the Pulumi CLI", [{ ...problem, fix: `${installPulumi}, or ${withoutStack(fix)}` }]);
  }
  const words = command
    .slice(0, command[0] === "config" ? 1 : 2)
    .filter((word) => !word.startsWith("-"))
    .join(" ");
  throw stackProblem(stack, `pulumi ${words} fails: ${output.failure}`, fixOf(output.failure, at));
}

/** What to do about an error of the Pulumi CLI: many of them do not mean that the name of the stack is wrong. */
function fixOf(failure: string, { fix, missingFix = fix }: At): string {
  if (/PULUMI_ACCESS_TOKEN|pulumi login|not logged in/i.test(failure)) {
    return "sign in with pulumi login, or with pulumi login --local if your state is on this machine";
  }
  if (/no stack selected/.test(failure)) return "run pulumi stack select NAME, or use --stack NAME";
  if (/no Pulumi\.yaml|no project file/.test(failure)) return `cd into the project, or ${withoutStack(fix)}`;
  return /no stack named/.test(failure) ? missingFix : fix;
}

/** `name a stack from pulumi stack ls with --stack, or use --cluster` without its first half. */
function withoutStack(fix: string): string {
  return fix.replace(/^.*, or /, "");
}

export function stackProblem(stack: string | undefined, why: string, fix: string): InputError {
  return new InputError("the stack", [{ code: "missing", path: "--stack", got: stack, why, fix }]);
}
