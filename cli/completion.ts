import { findProject, stacksOf } from "../planner/program/project";
import { packs } from "../policies/packs";
import { exitStatus, type Command, type Console } from "./command";
import { optionProblem, readCommandLine, separateWords } from "./command-line";
import { completionScripts, type Shell } from "./completion-scripts";
import { readHelp, type HelpOption } from "./help-model";

/** What can be typed next. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** What can be typed next, and whether the name of a file can. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  readonly files: boolean;
}

/** The commands by name, as far as a completion reads them. */
type Commands = Readonly<Record<string, Pick<Command, "summary" | "help">>>;

const shells = Object.keys(completionScripts) as Shell[];

export const completionHelp = `usage: eks-gpu-lab completion bash | zsh | fish

Prints a script that completes commands, options, stacks, configuration keys and files in your
shell. The tool must be on your PATH as eks-gpu-lab; docs/getting-started.md says how.

  bash   echo 'source <(eks-gpu-lab completion bash)' >> ~/.bashrc
  zsh    echo 'source <(eks-gpu-lab completion zsh)' >> ~/.zshrc    # after compinit
  fish   eks-gpu-lab completion fish > ~/.config/fish/completions/eks-gpu-lab.fish

exit status:
  0  printed
  2  the input is invalid
`;

/**
 * `eks-gpu-lab completion SHELL` prints the script of a shell. The script runs `completion -- WORD...` with the words of the
 * line so far, the last of which is being typed.
 */
export function runCompletion(args: readonly string[], console: Console, commands: Commands): number {
  if (args[0] === "--") {
    const { candidates, files } = complete(args.slice(1), commands, console.cwd);
    const lines = candidates.map(({ value, description }) => `${value}\t${description}`);
    console.write([...lines, ...(files ? [":files"] : [])].map((line) => `${line}\n`).join(""));
    return exitStatus.ok;
  }
  console.write(completionScripts[readShell(args)]);
  return exitStatus.ok;
}

/** @throws InputError with all problems */
function readShell(args: readonly string[]): Shell {
  const { words, rest } = separateWords({}, args);
  const shell = shells.find((name) => name === words[0]);
  const fix = `use one of ${shells.join(", ")}`;
  const line = readCommandLine({}, [...words.slice(1), ...rest]);
  line.refuse(shell ? [] : [optionProblem("shell", words[0], "Must be a supported shell.", fix)]);
  return shell as Shell;
}

/**
 * Completes a command line.
 *
 * @param words what follows `eks-gpu-lab`; the last one is being typed and may be empty
 */
export function complete(words: readonly string[], commands: Commands, cwd: string): Completion {
  const typed = words.at(-1) ?? "";
  const [name, ...given] = words.slice(0, -1);
  const { candidates, files } = possible(name, given, typed, commands, cwd);
  return { candidates: candidates.filter(({ value }) => value.startsWith(typed)), files };
}

function possible(
  name: string | undefined,
  given: readonly string[],
  typed: string,
  commands: Commands,
  cwd: string,
): Completion {
  if (name === undefined) {
    const all = Object.entries(commands).map(([value, { summary }]) => ({ value, description: summary }));
    return only(typed.startsWith("-") ? general : all);
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command || given.includes("--")) return only([]);
  const { words, options } = readHelp(command.help);
  const [assigned = ""] = /^--[^=]+=/.exec(typed) ?? [];
  const naming = assigned === "" ? given.at(-1) : assigned.slice(0, -1);
  const pending = options.find((option) => option.value !== undefined && isNamed(option, naming));
  if (pending) return values(pending, typed, assigned, cwd);
  if (typed.startsWith("-")) {
    const used = given.map((word) => word.replace(/=.*/, ""));
    const free = options.filter((option) => option.repeatable || !used.some((word) => isNamed(option, word)));
    return only([
      ...free.map((one) => ({ value: `--${one.name}`, description: one.description })),
      ...general.slice(0, 1),
    ]);
  }
  return only(words.some((word) => given.includes(word)) ? [] : words.map(plain));
}

function plain(value: string): Candidate {
  return { value, description: "" };
}

const general: readonly Candidate[] = [
  { value: "--help", description: "show the help" },
  { value: "--version", description: "print the version" },
];

function only(candidates: readonly Candidate[]): Completion {
  return { candidates, files: false };
}

function isNamed({ name, short }: HelpOption, word: string | undefined): boolean {
  return word === `--${name}` || (short !== undefined && word === `-${short}`);
}

/**
 * What the value of an option can be, by what the help calls it.
 *
 * @param assigned what precedes the value in the same word: `--stack=`
 */
function values({ name, value = "", list }: HelpOption, typed: string, assigned: string, cwd: string): Completion {
  const kinds = value.split("|");
  const stacks = name === "stack" || kinds.includes("STACK") ? projectAt(cwd)?.stacks : [];
  const keys = kinds.includes("KEY=VALUE") ? projectAt(cwd)?.keys.map((key) => `${key}=`) : [];
  const names = [...(stacks ?? []), ...(keys ?? []), ...(name === "pack" ? Object.keys(packs) : [])];
  // The names before the last comma stay, and are not offered again.
  const listed = list ? typed.slice(assigned.length).split(",").slice(0, -1) : [];
  const before = assigned + listed.map((one) => `${one},`).join("");
  return {
    candidates: names.filter((one) => !listed.includes(one)).map((one) => plain(before + one)),
    files: kinds.some((kind) => kind === "FILE" || kind === "PATH"),
  };
}

/** The project of a folder. A completion reports no errors: without a valid project it offers nothing. */
function projectAt(cwd: string): { readonly stacks: readonly string[]; readonly keys: readonly string[] } | undefined {
  try {
    const project = findProject(cwd);
    const own = `${project.name}:`;
    const keys = [...project.defaults.keys()].map((key) => (key.startsWith(own) ? key.slice(own.length) : key));
    return { stacks: stacksOf(project), keys };
  } catch {
    return undefined;
  }
}
