import { defineCommand } from "../core/define-command";
import { flag, stackOptions } from "../core/options";

/** The command line of `eks-gpu-lab pin`. */
export const pinCommand = defineCommand({
  summary: "write the newest compatible AMIs, add-ons and charts into a stack's configuration",
  options: {
    stack: stackOptions.stack,
    check: flag(
      "change nothing; exit with 1 if there is a newer compatible version or a pin is no longer published; for CI",
    ),
    dryRun: flag("change nothing; print the command that writes the versions"),
    json: flag("print the result as JSON"),
  },
  conflicts: ({ check, dryRun }) => [
    [check && dryRun, "dryRun", "Cannot be combined with --check, which changes nothing either.", "remove one of them"],
  ],
  help: (options) => `usage: eks-gpu-lab pin [options]

Compares the pinned versions of a stack with what is published today, shows the difference, and
writes the newest compatible versions into its configuration with pulumi config set-all:
AMI releases (SSM parameters of AWS), EKS add-ons, and the charts of the GPU Operator and of the
monitoring if the stack installs them. Uses your AWS credentials as the AWS CLI does, or the stack's
aws:profile.

${options(21)}

Examples:
  eks-gpu-lab pin --stack gpu-lab --dry-run
  eks-gpu-lab pin --check

exit status:
  0  done, or nothing to do
  1  with --check: something is outdated
  2  the input is invalid, nothing could be read, or the Pulumi CLI cannot write
  3  the tool failed
`,
});
