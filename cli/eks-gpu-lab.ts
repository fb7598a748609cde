import { InputError } from "../components/core/problems";
import { nearest } from "../components/core/suggest";
import { PolicyConfigError } from "../policies/engine/policy-config";
import { exitStatus, type Command, type Console } from "./command";
import { completionHelp, runCompletion } from "./completion";
import { WriteError } from "./files";
import { drillHelp } from "./drill-options";
import { gpuHelp } from "./gpu-options";
import { interruptibleCommand } from "./interruptible";
import { packageVersion } from "./manifest";
import { pinHelp } from "./pin-options";
import { leftoversHelp } from "./leftovers-options";
import { planCommand } from "./plan";
import { preflightHelp } from "./preflight-options";
import { rehearseHelp } from "./rehearse-options";
import { progressOn } from "./terminal";
import { triageHelp } from "./triage-options";

/** Commands that change something state this also if Ctrl-C comes while they load, which takes up to a second. */
const nothingChanged = "Nothing was changed.";

const commands: Readonly<Record<string, Command>> = {
  plan: planCommand,
  preflight: {
    summary: "check whether your AWS account can run a stack: quota, versions, permissions",
    help: preflightHelp,
    run: async (args, console) => (await import("./lab-commands.js")).runPreflight(args, console),
  },
  pin: {
    summary: "write the newest AMIs, add-ons and charts that fit into a stack's configuration",
    help: pinHelp,
    run: (args, console) =>
      interruptibleCommand(console, nothingChanged, async (_, beforeChange) =>
        (await beforeChange(import("./lab-commands.js"))).runPin(args, console),
      ),
  },
  rehearse: {
    summary: "rehearse a lab in a simulated AWS account, with your own Pulumi CLI",
    help: rehearseHelp,
    run: async (args, console) => (await import("./lab-commands.js")).runRehearse(args, console),
  },
  triage: {
    summary: "find out why a GPU pod does not run, in a cluster or in a saved dump",
    help: triageHelp,
    run: async (args, console) => (await import("./cluster-commands.js")).runTriage(args, console),
  },
  gpu: {
    summary: "start, end and show a session of GPU nodes on AWS, with its cost",
    help: gpuHelp,
    run: (args, console) =>
      interruptibleCommand(console, nothingChanged, async (_, beforeChange) =>
        (await beforeChange(import("./cluster-commands.js"))).runGpu(args, console),
      ),
  },
  leftovers: {
    summary: "list and remove what a failed destroy or a killed update left in AWS",
    help: leftoversHelp,
    run: (args, console) =>
      interruptibleCommand(console, nothingChanged, async (_, beforeChange) =>
        (await beforeChange(import("./cluster-commands.js"))).runLeftovers(args, console),
      ),
  },
  drill: {
    summary: "practise: diagnose a random failure in a local cluster",
    help: drillHelp,
    run: async (args, console) => (await import("./cluster-commands.js")).runDrill(args, console),
  },
  completion: {
    summary: "print the completion script of bash, zsh or fish",
    help: completionHelp,
    run: (args, console) => Promise.resolve(runCompletion(args, console, commands)),
  },
};

/**
 * The tool `eks-gpu-lab`: finds the command and runs it.
 *
 * @returns the exit status
 */
export async function eksGpuLab([name, ...args]: readonly string[], console: Console): Promise<number> {
  if (name === "--version") {
    console.write(`${packageVersion()}\n`);
    return exitStatus.ok;
  }
  if (name === "--help" || name === "-h") {
    console.write(help());
    return exitStatus.ok;
  }
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (name === undefined || !command) {
    console.warn(name === undefined ? help() : `${unknownCommand(name)}\n\n${help()}`);
    return exitStatus.wrongInput;
  }
  if (asksForHelp(args)) {
    console.write(command.help);
    return exitStatus.ok;
  }
  try {
    return await command.run(args, console);
  } catch (error) {
    progressOn(console)("");
    return report(error, name, console);
  }
}

/** Whether the options, which end at `--`, ask for the help. */
function asksForHelp(args: readonly string[]): boolean {
  const options = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  return options.includes("--help") || options.includes("-h");
}

/** Reports wrong input with key, value and fix; any other error with its stack trace. */
function report(error: unknown, command: string, console: Console): number {
  if (PolicyConfigError.is(error)) {
    return report(new InputError("the policy configuration", error.problems), command, console);
  }
  if (InputError.is(error)) {
    console.warn(`${error.message}\n`);
    return exitStatus.wrongInput;
  }
  if (WriteError.is(error)) {
    console.warn(`eks-gpu-lab ${command} failed: ${error.message}\n`);
    return exitStatus.failed;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.warn(`eks-gpu-lab ${command} failed\n${text}\n`);
  return exitStatus.failed;
}

function unknownCommand(name: string): string {
  const guess = nearest(name, Object.keys(commands));
  return `eks-gpu-lab: unknown command ${name}${guess ? `; did you mean ${guess}?` : ""}`;
}

function help(): string {
  const lines = Object.entries(commands).map(([name, command]) => `  ${name.padEnd(10)} ${command.summary}`);
  return `usage: eks-gpu-lab <command> [options]\n\n${lines.join("\n")}\n\nRun eks-gpu-lab <command> --help for the options of a command.\n`;
}
