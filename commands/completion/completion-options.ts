import { optionProblem } from "../core/command-line";
import { defineCommand } from "../core/define-command";

/** Each has a script, which asks the tool itself, so that a new option needs no new script. */
export const shells = ["bash", "zsh", "fish"] as const;

/** The command line of `eks-gpu-lab completion`. */
export const completionCommand = defineCommand({
  summary: "print the completion script for bash, zsh or fish",
  options: {},
  words: {
    names: shells,
    most: 1,
    problems: ([shell]) =>
      shells.some((name) => name === shell)
        ? []
        : [optionProblem("shell", shell, "Must be a supported shell.", `use one of ${shells.join(", ")}`)],
    read: ([shell]) => ({ shell: shell as (typeof shells)[number] }),
  },
  help: () => `usage: eks-gpu-lab completion bash | zsh | fish

Prints a script that completes commands, options, stacks, configuration keys and files in your
shell. The tool must be on your PATH as eks-gpu-lab; docs/getting-started.md says how.

  bash   echo 'source <(eks-gpu-lab completion bash)' >> ~/.bashrc
  zsh    echo 'source <(eks-gpu-lab completion zsh)' >> ~/.zshrc    # after compinit
  fish   eks-gpu-lab completion fish > ~/.config/fish/completions/eks-gpu-lab.fish

exit status:
  0  printed
  2  the input is invalid
`,
});
