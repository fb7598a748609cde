import { isIPv4 } from "node:net";
import { defineCommand } from "../core/define-command";
import { flag, stackOptions, text } from "../core/options";

/** The command line of `eks-gpu-lab preflight`. */
export const preflightCommand = defineCommand({
  summary: "check whether your AWS account can run a stack: quota, versions, permissions",
  options: {
    ...stackOptions,
    address: text("ADDRESS", "your public IPv4 address", {
      default: "what https://checkip.amazonaws.com answers",
      form: [isIPv4, "Must be one IPv4 address.", "use e.g. --address 8.8.8.8"],
    }),
    json: flag("print the result as JSON"),
  },
  help: (options) => `usage: eks-gpu-lab preflight [options]

Checks before pulumi up whether your AWS account can run a stack: instance types, vCPU quota, AMI
releases, add-on versions, your address, free subnet addresses, and IAM permissions. Changes
nothing. Uses your AWS credentials as the AWS CLI does, or the stack's aws:profile. It needs neither
the Pulumi CLI nor a login to Pulumi; with them, it also lists objects that an interrupted update
left.

${options(27)}

Examples:
  eks-gpu-lab preflight --stack gpu-lab
  eks-gpu-lab preflight --config gpuNodes.instanceType=g6.2xlarge

exit status:
  0  no problem; there can be warnings or skipped checks
  1  a problem
  2  no problem, but a check could not be read; or the input is invalid, or AWS does not respond
     (credentials, region, network)
  3  the tool or the program failed
`,
});
