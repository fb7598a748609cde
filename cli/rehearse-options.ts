import type { Problem } from "../components/core/problems";
import { optionProblem, readCommandLine } from "./command-line";

/** The command line of `eks-gpu-lab rehearse`. */
export interface RehearseOptions {
  readonly stack?: string;
  readonly config: readonly string[];
  /** Values to turn on and off instead of the lab's toggles: `key=value`. */
  readonly changes: readonly string[];
  readonly quota?: number;
  readonly json: boolean;
}

const options = {
  stack: { type: "string", short: "s" },
  config: { type: "string", short: "c", multiple: true },
  change: { type: "string", multiple: true },
  quota: { type: "string" },
  json: { type: "boolean" },
} as const;

export const rehearseHelp = `usage: eks-gpu-lab rehearse [options]

Rehearses the whole lab for free: your own Pulumi CLI runs against a simulated AWS account. Deploys
the lab, starts a session, turns each toggle of the lab on and off, and destroys the lab. Shows the
changes of each step. No account, no network, no money; your stacks, their state and their
configuration are not touched. A rehearsal checks the order of operations, references, replacements,
and AWS's rules for sizes and names. It does not simulate what runs on nodes.

  -s, --stack NAME         the stack; default gpu-lab, or the only stack of the project
  -c, --config KEY=VALUE   override a configuration value in every step; repeatable
      --change KEY=VALUE   turn this value on and off instead of the lab's toggles; repeatable
      --quota VCPUS        vCPU quota of the account for G and VT instances; default 8
      --json               print the result as JSON

Examples:
  eks-gpu-lab rehearse --stack gpu-lab
  eks-gpu-lab rehearse --stack gpu-lab --change gpuOperator.enabled=true --quota 4

exit status:
  0  rehearsed
  1  a step failed
  2  the input is invalid or the Pulumi CLI is missing
  3  the tool failed
`;

/**
 * Reads the command line.
 *
 * @throws InputError with all problems
 */
export function readRehearseOptions(args: readonly string[]): RehearseOptions {
  const line = readCommandLine(options, args);
  const problems: Problem[] = [];
  for (const change of line.texts("change").filter((text) => !/^[^=]+=/.test(text))) {
    problems.push(
      optionProblem("--change", change, "Must have the form key=value.", "use, for example, --change nccl=blocked"),
    );
  }
  const quota = line.text("quota");
  if (quota !== undefined && !/^\d{1,5}$/.test(quota)) {
    problems.push(optionProblem("--quota", quota, "Must be a number of vCPUs.", "use, for example, --quota 8"));
  }
  line.refuse(problems);
  const stack = line.text("stack");
  return {
    config: line.texts("config"),
    changes: line.texts("change"),
    json: line.flag("json"),
    ...(stack && { stack }),
    ...(quota !== undefined && { quota: Number(quota) }),
  };
}
