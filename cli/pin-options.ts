import type { Problem } from "../components/core/problems";
import { withoutUndefined } from "../components/core/reader/records";
import { optionProblem, readCommandLine, type CommandLine } from "./command-line";

/** The options of `eks-gpu-lab pin`. */
export interface PinOptions {
  readonly stack?: string;
  readonly check: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

const options = {
  stack: { type: "string", short: "s" },
  check: { type: "boolean" },
  "dry-run": { type: "boolean" },
  json: { type: "boolean" },
} as const;

export const pinHelp = `usage: eks-gpu-lab pin [options]

Compares the pinned versions of a stack with what is published today, shows the difference, and
writes the newest versions that fit into the configuration of the stack with pulumi config set-all:
AMI releases (SSM parameters of AWS), EKS add-ons, and the charts of the GPU Operator and of the
monitoring if the stack installs them. Uses your AWS credentials as the AWS CLI does, or the stack's
aws:profile.

  -s, --stack NAME   the stack; default: the selected one, else the only one, else gpu-lab
      --check        change nothing; exit with 1 if a newer version fits or a pin is not published
                     any more; for CI
      --dry-run      change nothing; print the command that writes the versions
      --json         print the result as JSON

Examples:
  eks-gpu-lab pin --stack gpu-lab --dry-run
  eks-gpu-lab pin --check

exit status:
  0  done, or nothing to do
  1  with --check: something is outdated
  2  the input is invalid, nothing could be read, or the Pulumi CLI does not write
  3  the tool failed
`;

/**
 * Reads the command line.
 *
 * @throws InputError with all problems
 */
export function readPinOptions(args: readonly string[]): PinOptions {
  const line = readCommandLine(options, args);
  line.refuse(modeProblems(line));
  return {
    ...{ check: line.flag("check"), dryRun: line.flag("dry-run"), json: line.flag("json") },
    ...withoutUndefined({ stack: line.text("stack") }),
  };
}

function modeProblems(line: CommandLine): Problem[] {
  if (!line.flag("check") || !line.flag("dry-run")) return [];
  const why = "Cannot be combined with --check, which changes nothing either.";
  return [optionProblem("--dry-run", true, why, "remove one of them")];
}
