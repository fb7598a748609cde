import { isIPv4 } from "node:net";
import type { Problem } from "../components/core/problems";
import { withoutUndefined } from "../components/core/reader/records";
import { optionProblem, readCommandLine } from "./command-line";

/** The options of `eks-gpu-lab preflight`. */
export interface PreflightOptions {
  readonly stack?: string;
  readonly config: readonly string[];
  readonly address?: string;
  readonly json: boolean;
}

const options = {
  stack: { type: "string", short: "s" },
  config: { type: "string", short: "c", multiple: true },
  address: { type: "string" },
  json: { type: "boolean" },
} as const;

export const preflightHelp = `usage: eks-gpu-lab preflight [options]

Checks before pulumi up whether your AWS account can run a stack: instance types, vCPU quota, AMI
releases, add-on versions, your address, free subnet addresses, and IAM permissions. Changes
nothing. Uses your AWS credentials as the AWS CLI does, or the stack's aws:profile. It needs neither
the Pulumi CLI nor a login to Pulumi; with them, it also names what an interrupted update left.

  -s, --stack NAME         the stack; default: the selected one, else the only one, else gpu-lab
  -c, --config KEY=VALUE   override a configuration value, like pulumi config set --path; repeatable
      --address ADDRESS    your public IPv4 address (default: what https://checkip.amazonaws.com
                           answers)
      --json               print the result as JSON

Examples:
  eks-gpu-lab preflight --stack gpu-lab
  eks-gpu-lab preflight --config gpuNodes.instanceType=g6.2xlarge

exit status:
  0  no problem, also with warnings or skipped checks
  1  a problem
  2  no problem, but a check could not be read; or the input is invalid, or AWS does not answer
     (credentials, region, network)
  3  the tool or the program failed
`;

/**
 * Reads the command line.
 *
 * @throws InputError with all problems
 */
export function readPreflightOptions(args: readonly string[]): PreflightOptions {
  const line = readCommandLine(options, args);
  const address = line.text("address");
  line.refuse(addressProblems(address));
  return {
    ...{ config: line.texts("config"), json: line.flag("json") },
    ...withoutUndefined({ stack: line.text("stack"), address }),
  };
}

function addressProblems(address: string | undefined): Problem[] {
  if (address === undefined || isIPv4(address)) return [];
  return [optionProblem("--address", address, "Must be one IPv4 address.", "use e.g. --address 8.8.8.8")];
}
