import { defineCommand } from "../core/define-command";
import { config, flag, list, number, stack, whole } from "../core/options";

/** The command line of `eks-gpu-lab rehearse`. */
export const rehearseCommand = defineCommand({
  summary: "rehearse a lab in a simulated AWS account, with your own Pulumi CLI",
  options: {
    stack: stack("the stack", "gpu-lab, or the only stack of the project"),
    config: config("override a configuration value in every step"),
    change: list("KEY=VALUE", "turn this value on and off instead of the lab's toggles", {
      offers: ["keys"],
      form: [/^[^=]+=/, "Must have the form key=value.", "use, for example, --change nccl=blocked"],
    }),
    quota: number(
      "VCPUS",
      "vCPU quota of the account for G and VT instances",
      whole(0, 99_999, "use, for example, --quota 8", "of vCPUs "),
      "8",
    ),
    json: flag("print the result as JSON"),
  },
  help: (options) => `usage: eks-gpu-lab rehearse [options]

Rehearses the whole lab for free: your own Pulumi CLI runs against a simulated AWS account. Deploys
the lab, starts a session, turns each toggle of the lab on and off, and destroys the lab. Shows the
changes of each step. No account, no network, no money; your stacks, their state and their
configuration are not touched. A rehearsal checks the order of operations, references, replacements,
and AWS's rules for sizes and names. It does not simulate what runs on nodes.

${options(27)}

Examples:
  eks-gpu-lab rehearse --stack gpu-lab
  eks-gpu-lab rehearse --stack gpu-lab --change gpuOperator.enabled=true --quota 4

exit status:
  0  rehearsed
  1  a step failed
  2  the input is invalid or the Pulumi CLI is missing
  3  the tool failed
`,
});
