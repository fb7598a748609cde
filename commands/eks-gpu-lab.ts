import { InputError, renderProblem } from "../components/core/problems";
import { nearest } from "../components/core/suggest";
import { PolicyConfigError } from "../policies/engine/policy-config";
import { exitStatus, type Console } from "./core/command";
import { completionCommand } from "./completion/completion-options";
import { optionProblem } from "./core/command-line";
import { defineCommand, type CommandLine } from "./core/define-command";
import { drillCommand } from "./drill/drill-options";
import { WriteError } from "./core/files";
import { fitCommand } from "./fit/fit-options";
import { gpuCommand } from "./gpu/gpu-options";
import { interruptibleCommand } from "./core/interruptible";
import { leftoversCommand } from "./leftovers/leftovers-options";
import { version } from "../package.json";
import { pinCommand } from "./pin/pin-options";
import { planCommand } from "./plan/plan-options";
import { preflightCommand } from "./preflight/preflight-options";
import { rehearseCommand } from "./rehearse/rehearse-options";
import { progressOn } from "./core/terminal";
import { triageCommand } from "./triage/triage-options";

/** Runs a command. @returns the exit status */
type Run = (args: readonly string[], console: Console) => Promise<number>;

/** A command that changes something, and says that nothing is changed if Ctrl-C comes while it loads, which takes up to a second. */
function changing(load: () => Promise<Run>): Run {
  return (args, console) =>
    interruptibleCommand(console, "Nothing was changed.", async (_, beforeChange) =>
      (await beforeChange(load()))(args, console),
    );
}

type Command = Pick<CommandLine, "summary" | "help" | "about" | "words" | "options"> & { readonly run: Run };

const working: Readonly<Record<string, Command>> = {
  plan: { ...planCommand, run: async (...on) => (await import("./plan/plan.js")).runPlan(...on) },
  preflight: {
    ...preflightCommand,
    run: async (...on) => (await import("./preflight/preflight.js")).runPreflight(...on),
  },
  pin: { ...pinCommand, run: changing(async () => (await import("./pin/pin.js")).runPin) },
  rehearse: { ...rehearseCommand, run: async (...on) => (await import("./rehearse/rehearse.js")).runRehearse(...on) },
  triage: { ...triageCommand, run: async (...on) => (await import("./triage/triage.js")).runTriage(...on) },
  fit: { ...fitCommand, run: async (...on) => (await import("./fit/fit.js")).runFit(...on) },
  gpu: { ...gpuCommand, run: changing(async () => (await import("./gpu/gpu.js")).runGpu) },
  leftovers: {
    ...leftoversCommand,
    run: changing(async () => (await import("./leftovers/leftovers.js")).runLeftovers),
  },
  drill: { ...drillCommand, run: async (...on) => (await import("./drill/drill.js")).runDrill(...on) },
  completion: {
    ...completionCommand,
    run: async (...on) => (await import("./completion/completion.js")).runCompletion(...on, commands),
  },
};

const helpCommand = defineCommand({
  summary: "show the help of a command",
  options: {},
  words: {
    names: Object.keys(working),
    most: 1,
    problems: ([name]) => {
      if (name === undefined || Object.hasOwn(working, name)) return [];
      return [optionProblem("help", name, "Is not a command.", commandFix(name))];
    },
    read: ([name = ""]) => ({ name }),
  },
  help: () => `usage: eks-gpu-lab help [command]

Shows the commands, or the help of one. The same as eks-gpu-lab <command> --help.

Examples:
  eks-gpu-lab help plan

exit status:
  0  shown
  2  the input is invalid
`,
});

/** The commands, in the order of the help. */
export const commands: Readonly<Record<string, Command>> = {
  ...working,
  help: {
    ...helpCommand,
    run: (args, console) => {
      const { name } = helpCommand.read(args);
      console.write(textFor(console, working[name]?.help ?? help()));
      return Promise.resolve(exitStatus.ok);
    },
  },
};

/** The text of a help, with the name under which the user runs the tool. */
function textFor({ program = "eks-gpu-lab" }: Console, text: string): string {
  return text.replaceAll("eks-gpu-lab ", `${program} `);
}

/** The tool `eks-gpu-lab`: finds the command and runs it. @returns the exit status */
export async function eksGpuLab([name, ...args]: readonly string[], console: Console): Promise<number> {
  if (name === "--version") {
    console.write(`${version}\n`);
    return exitStatus.ok;
  }
  if (name === "--help" || name === "-h") {
    console.write(textFor(console, help()));
    return exitStatus.ok;
  }
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (name === undefined || !command) {
    const problems = name === undefined ? [] : [optionProblem("command", name, "Is not a command.", commandFix(name))];
    console.warn(textFor(console, problems.map((one) => `${renderProblem(one)}\n\n`).join("") + help()));
    return exitStatus.wrongInput;
  }
  if (asksForHelp(args)) {
    console.write(textFor(console, command.help));
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
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.warn(`eks-gpu-lab ${command} failed${WriteError.is(error) ? `: ${error.message}` : `\n${stack}`}\n`);
  return exitStatus.failed;
}

function commandFix(name: string): string {
  const guess = nearest(name, Object.keys(commands));
  if (guess !== undefined) return `did you mean ${guess}?`;
  return name.startsWith("-") ? `write a command before ${name}` : "use one of the commands below";
}

function help(): string {
  const lines = Object.entries(commands).map(([name, command]) => `  ${name.padEnd(11)}${command.summary}`);
  const more = "Run eks-gpu-lab help <command> for the options of a command.";
  return `usage: eks-gpu-lab <command> [options]\n\n${lines.join("\n")}\n\n${more}\n`;
}
