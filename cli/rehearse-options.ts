import { InputError } from "../components/core/problems";
import { complaint, readCommandLine } from "./command-line";

/** What `eks-gpu-lab rehearse` was asked for. */
export interface RehearseOptions {
  readonly stack?: string;
  readonly config: readonly string[];
  /** Switches of the caller's own, in place of the lab's. */
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

Lives a lab through with your own Pulumi CLI against a simulated AWS account: pulumi up, a session, each of the lab's
switches on and off, pulumi destroy. Shows what changes at each step. No account, no network, no money; your stacks,
their state and their configuration are not touched. What the simulation proves is order, references, replacements and
AWS's rules for sizes and names; what runs on nodes is not simulated.

  -s, --stack NAME         the stack; default gpu-lab, or the only one there is
  -c, --config KEY=VALUE   override a configuration value for the whole rehearsal; repeatable
      --change KEY=VALUE   a value to switch on and off, in place of the lab's own switches; repeatable
      --quota VCPUS        vCPUs of G and VT instances that the account may run; default 8
      --json               the steps as JSON

exit status: 0 rehearsed, 1 a step failed, 2 the input is wrong or there is no Pulumi CLI, 3 the tool failed
`;

/**
 * Reads the command line.
 *
 * @throws InputError with every mistake in it.
 */
export function readRehearseOptions(args: readonly string[]): RehearseOptions {
  const line = readCommandLine(options, args);
  const problems = [...line.problems];
  for (const change of line.texts("change").filter((text) => !/^[^=]+=/.test(text))) {
    problems.push(complaint("--change", change, "It must read key=value.", "write for example --change nccl=blocked"));
  }
  const quota = line.text("quota");
  if (quota !== undefined && !/^\d{1,5}$/.test(quota)) {
    problems.push(complaint("--quota", quota, "It must be a number of vCPUs.", "write for example --quota 8"));
  }
  if (problems.length > 0) throw new InputError("the command line", problems);
  const stack = line.text("stack");
  return {
    config: line.texts("config"),
    changes: line.texts("change"),
    json: line.flag("json"),
    ...(stack && { stack }),
    ...(quota !== undefined && { quota: Number(quota) }),
  };
}
